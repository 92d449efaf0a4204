import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { browserTest } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';
import { expectOneStream, isLive, serve } from '../../support/tabs.ts';
import { as, inSeconds, WITH_SECRET } from '../../support/tokens.ts';

const databaseUrl = await makeDatabase();

// test/campaigns/client/tabs.test.ts tests twenty tabs, and a frozen tab.
browserTest('tabs share one stream, and survive the tab that has the stream', ({ open }) =>
  expectOneStream(databaseUrl, open, 3),
);

browserTest('all tabs connect again after a restart of the server', async ({ open }) => {
  const first = await serve({ databaseUrl });
  const tabs = [await open(`${first.url}/?q=drones`), await open(`${first.url}/?q=drones`)];
  await Promise.all(tabs.map(isLive));
  await first.stop();
  await Promise.all(tabs.map((tab) => tab.getByText('Reconnecting…').waitFor()));
  const second = await serve({ databaseUrl, port: first.port });
  await Promise.all(tabs.map(isLive));
  expect(await second.followers()).toBe(1);
});

/**
 * Starts a network between the browser and a service. A test can cut the network and repair it.
 */
async function makeNetwork(to: number) {
  const sockets = new Set<Socket>();
  let isLost = false;
  const relay = createServer((near) => {
    if (isLost) return near.destroy();
    const far = connect(to, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    return undefined;
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    relay.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    lose() {
      isLost = true;
      for (const socket of sockets) socket.destroy();
    },
    findAgain() {
      isLost = false;
    },
  };
}

browserTest('a page notices a lost network, and later shows missed changes', async ({ open }) => {
  const service = await serve({ databaseUrl });
  const network = await makeNetwork(service.port);
  const page = await open(`${network.url}/?q=drones`);
  await isLive(page);
  network.lose();
  await page.getByText('Reconnecting…').waitFor();
  await fetch(`${service.url}/claim-job?jobId=17&recruiterId=4`);
  network.findAgain();
  await isLive(page);
  await page.getByText('3 of 4 claimed').waitFor();
});

browserTest('a stream whose token expires goes on with the next token', async ({ open }) => {
  const { url } = await serve({ databaseUrl, auth: WITH_SECRET });
  const page = await open(`${url}/?q=drones`);
  const show = async (Authorization: string) => {
    await page.getByLabel('Token').fill(Authorization.replace('Bearer ', ''));
    await page.getByRole('button', { name: 'Show the jobs' }).click();
    await isLive(page);
  };
  await show((await as('recruiter', '3', { exp: inSeconds(4) })).Authorization);
  await page.getByText('no longer accepts it').waitFor();
  await show((await as('recruiter', '3')).Authorization);
});
