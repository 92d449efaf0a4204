import { expect, test } from 'vitest';
import { start } from '../../support/command.ts';
import { projectWithout, type Removal } from '../../support/removal.ts';

/** The timeout of a run. A slow machine needs long to start the servers. */
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
  const command = ['scripts/faults.ts', '--scenario', 'failover', '--restarts', '1', '--json'];
  const args = ['--import', 'tsx', ...command];
  const { ended, stdout, stderr } = start(process.execPath, args, {}, projectWithout(CUT));
  const { code } = await ended;
  expect({ code, stderr: stderr() }).toMatchObject({ code: 1 });
  const [, hosts] = JSON.parse(stdout()).scenarios;
  expect(hosts).toMatchObject({ scenario: 'failover, hosts' });
  expect(hosts.findings).toContainEqual({
    promise: 'the server answers',
    what: expect.stringMatching(/^\d+ sessions were on the standby \d+ ms after a switchover$/),
  });
});
