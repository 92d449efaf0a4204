import { expect, test } from 'vitest';
import { start } from '../../support/command.ts';
import { projectWithout, type Removal } from '../../support/removal.ts';

const PATIENCE_MS = 300_000;

/** Connections to a former primary are closed as soon as there is another primary. */
const CUT: Removal = {
  file: 'src/db/primary.ts',
  text: 'for (const [socket, to] of this.#sockets) if (to !== host) socket.destroy();',
  left: '',
};

test('without the cut of old connections a frozen primary is not left in time', {
  timeout: PATIENCE_MS,
}, async () => {
  const command = ['scripts/faults.ts', '--scenario', 'failover', '--restarts', '2', '--json'];
  const args = ['--import', 'tsx', ...command];
  const { ended, stdout } = start(process.execPath, args, {}, projectWithout(CUT));
  expect((await ended).code).toBe(1);
  const [balanced, hosts] = JSON.parse(stdout()).scenarios;
  expect(balanced).toMatchObject({ scenario: 'failover', findings: [] });
  expect(hosts.findings).toContainEqual({
    promise: 'the server answers',
    what: expect.stringMatching(/^\d+ sessions were on the standby 3\d{3} ms after a switchover$/),
  });
});
