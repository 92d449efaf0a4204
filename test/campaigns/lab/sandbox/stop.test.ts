import { expect, test } from 'vitest';
import { print } from '../../../../src/platform/process/print.ts';
import { SOME_ENDLESS } from '../../../support/endless.ts';
import { runRoom, visitorsOf } from '../../../support/room.ts';
import { endDuringAttacks, startSandbox } from '../../../support/sandbox-attack.ts';

// `npm run test:campaigns` runs this file alone, since other work would make a stop longer.

/**
 * A stop takes about one second if nothing else runs. In an earlier version, a stop could take 25 s.
 */
const MOST_STOP_MS = 3_000;

function expectQuick(tookMs: number, signal: string) {
  print(`${signal}: ${tookMs.toFixed(0)} ms\n`);
  expect(tookMs).toBeLessThan(MOST_STOP_MS);
}

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'a server that ends by %s during endless statements leaves no process and no folder',
  async (signal) => {
    const server = await startSandbox();
    expectQuick(await endDuringAttacks(server, signal, server.ask), signal);
  },
);

test('a classroom that ends by SIGTERM during endless statements leaves no process and no folder', async () => {
  const room = await runRoom();
  const { join } = visitorsOf(room);
  const students = await Promise.all(SOME_ENDLESS.map((_, index) => join(`Student ${index}`)));
  const took = await endDuringAttacks(room.command, 'SIGTERM', (experiment, attack) =>
    (students[attack] ?? expect.fail()).follow('/lab/sandbox', experiment),
  );
  expectQuick(took, 'SIGTERM');
});
