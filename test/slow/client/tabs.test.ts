import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type ServiceOptions, startService } from '../../../src/service/service.ts';
import { collectLog } from '../../support/app.ts';
import { browserTest } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';
import { as, inSeconds, WITH_SECRET } from '../../support/tokens.ts';

const databaseUrl = await makeDatabase();

async function serve(options: Partial<ServiceOptions> = {}) {
  const settings = { databaseUrl, host: '127.0.0.1', port: 0, lab: false, log: collectLog().log };
  const service = await startService({ ...settings, ...options });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service.stop();
    return stopped;
  };
  onTestFinished(stop);
  const followers = async (headers = {}) => {
    const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
    return Number(/^rowlock_followers (\d+)/m.exec(text)?.[1]);
  };
  return { url: service.url, port: Number(new URL(service.url).port), stop, followers };
}

const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

browserTest('twenty tabs share one stream, and outlive the tab that has it', async ({ open }) => {
  const { url, followers } = await serve();
  const tabs: Page[] = [];
  for (let count = 0; count < 20; count++) tabs.push(await open(`${url}/?recruiter=1&q=drones`));
  await Promise.all(tabs.map(isLive));
  expect(await followers()).toBe(1);
  await fetch(`${url}/claim-job?jobId=17&recruiterId=2`);
  await Promise.all(tabs.map((tab) => tab.getByText('1 of 4 claimed').waitFor()));
  // The first tab has the stream.
  await tabs.shift()?.close();
  await fetch(`${url}/claim-job?jobId=17&recruiterId=3`);
  await Promise.all(tabs.map((tab) => tab.getByText('2 of 4 claimed').waitFor()));
  expect(await followers()).toBe(1);
});

browserTest('all tabs come back after a restart of the server', async ({ open }) => {
  const first = await serve();
  const tabs = [await open(`${first.url}/?q=drones`), await open(`${first.url}/?q=drones`)];
  await Promise.all(tabs.map(isLive));
  await first.stop();
  await Promise.all(tabs.map((tab) => tab.getByText('Reconnecting…').waitFor()));
  const second = await serve({ port: first.port });
  await Promise.all(tabs.map(isLive));
  expect(await second.followers()).toBe(1);
});

/** A network between the browser and a service. It can be lost, and come back. */
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

browserTest('a lost network is noticed, and made up for', async ({ open }) => {
  const service = await serve();
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

browserTest('a stream that ends with its token goes on with the next token', async ({ open }) => {
  const { url } = await serve({ auth: WITH_SECRET });
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

browserTest(
  'another tab takes over from a tab that is frozen',
  { timeout: 180_000 },
  async ({ open }) => {
    const { url } = await serve();
    const frozen = await open(`${url}/?q=drones`);
    await isLive(frozen);
    const other = await open(`${url}/?q=drones`);
    await isLive(other);
    const debug = await frozen.context().newCDPSession(frozen);
    await debug.send('Debugger.enable');
    const paused = new Promise((resolve) => debug.once('Debugger.paused', resolve));
    await debug.send('Debugger.pause');
    // The next event stops the tab, so nobody passes the event on.
    await fetch(`${url}/claim-job?jobId=17&recruiterId=5`);
    await paused;
    // A tab waits for a minute and a half before it takes over.
    await other.getByText('4 of 4 claimed').waitFor({ timeout: 130_000 });
    await debug.send('Debugger.resume');
    await isLive(frozen);
    await frozen.getByText('4 of 4 claimed').waitFor();
  },
);
