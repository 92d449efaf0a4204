import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { readDefinitions } from '../../../src/explorer/command/definitions.ts';
import { writeExample } from '../../../src/explorer/command/init.ts';
import { exitCodeOf, resultOf, verdictOf } from '../../../src/explorer/command/results.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir } from '../../support/command.ts';
import { booking } from '../../support/explorer-command.ts';

/** Explores a file as the command does, in this process. Returns the verdicts and the exit code. */
async function explored(file: string, counts: boolean) {
  const results = [];
  for (const definition of await readDefinitions([file]))
    results.push(await resultOf(definition, { database: inject('scratchUrl'), counts }));
  return { verdicts: results.map(verdictOf), code: exitCodeOf(results), results };
}

// test/slow/explorer/command runs the command itself.
test('the example of a booking is found wrong without the lock, and right with the lock', async () => {
  const { verdicts, code, results } = await explored(booking(), true);
  expect(code).toBe(1);
  expect(verdicts).toEqual([
    'broken in 18 of all 20 schedules',
    'the rule holds in all 8 schedules',
  ]);
  expect(results[0]?.found?.violation?.rule).toBe('room 1 has 2 bookings for night 3');
});

test('the example of `init` loses money', async () => {
  const folder = makeTmpDir(inProject('dist'));
  writeExample(folder);
  const { verdicts, code } = await explored(path.join(folder, 'transfer.explore.mjs'), false);
  expect([verdicts, code]).toEqual([['broken in schedule 3'], 1]);
});

test('`init` says how to install the client of the example, if the client is missing', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'no-project-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(writeExample(folder).join()).toContain('npm install --save-dev postgres');
  rmSync(path.join(folder, 'transfer.explore.mjs'));
  mkdirSync(path.join(folder, 'node_modules/postgres'), { recursive: true });
  writeFileSync(path.join(folder, 'node_modules/postgres/index.js'), '');
  expect(writeExample(folder).join()).not.toContain('npm install');
});
