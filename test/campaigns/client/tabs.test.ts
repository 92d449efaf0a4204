import { browserTest } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';
import { expectOneStream, isLive, serve } from '../../support/tabs.ts';

const databaseUrl = await makeDatabase();

browserTest('twenty tabs share one stream, even after the tab with the stream closes', ({ open }) =>
  expectOneStream(databaseUrl, open, 20),
);

browserTest(
  'a second tab takes over the stream from a frozen tab',
  async ({ open }) => {
    const { url } = await serve({ databaseUrl });
    const frozen = await open(`${url}/?q=drones`);
    await isLive(frozen);
    const other = await open(`${url}/?q=drones`);
    await isLive(other);
    const debug = await frozen.context().newCDPSession(frozen);
    await debug.send('Debugger.enable');
    const paused = new Promise((resolve) => debug.once('Debugger.paused', resolve));
    await debug.send('Debugger.pause');
    // At the next event the debugger stops this tab, so the tab does not pass the event on.
    await fetch(`${url}/claim-job?jobId=17&recruiterId=5`);
    await paused;
    // A tab waits for a minute and a half before it takes over.
    await other.getByText('3 of 4 claimed').waitFor({ timeout: 130_000 });
    await debug.send('Debugger.resume');
    await isLive(frozen);
    await frozen.getByText('3 of 4 claimed').waitFor();
  },
  180_000,
);
