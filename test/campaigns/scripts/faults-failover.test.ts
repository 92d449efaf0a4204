import { expect, test } from 'vitest';
import { start } from '../../support/command.ts';
import { projectWithout, type Removal } from '../../support/removal.ts';

/** The timeout of a run. A slow machine needs long to start the servers. */
const PATIENCE_MS = 300_000;

/** The line that closes the connections to a former primary as soon as there is a new primary. */
const CUT: Removal = {
  file: 'src/platform/db/primary.ts',
  text: 'for (const [socket, to] of this.#sockets) if (to !== host) socket.destroy();',
  left: '',
};

test('if old connections stay open, the service does not leave a frozen primary in time', {
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
