import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type ServiceOptions, startService } from '../../src/service/program/service.ts';
import { collectLog, mountsOf, type Wings } from './app.ts';

/** Starts a service that can tell how many clients follow it. The service stops after the test. */
export async function serve({
  lab,
  own,
  ...options
}: Pick<ServiceOptions, 'databaseUrl'> & Partial<ServiceOptions> & Wings) {
  const settings = {
    host: '127.0.0.1',
    port: 0,
    mounts: mountsOf({ lab, own }),
    log: collectLog().log,
  };
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

export const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

/**
 * Opens this many tabs that show job 17, which nobody has claimed. Asserts that they share one
 * stream, even after the first tab, which has the stream, is closed.
 */
export async function expectOneStream(
  databaseUrl: string,
  open: (url: string) => Promise<Page>,
  count: number,
) {
  const { url, followers } = await serve({ databaseUrl });
  const tabs: Page[] = [];
  for (let opened = 0; opened < count; opened++)
    tabs.push(await open(`${url}/?recruiter=1&q=drones`));
  await Promise.all(tabs.map(isLive));
  expect(await followers()).toBe(1);
  await fetch(`${url}/claim-job?jobId=17&recruiterId=2`);
  await Promise.all(tabs.map((tab) => tab.getByText('1 of 4 claimed').waitFor()));
  // The first tab has the stream.
  await tabs.shift()?.close();
  await fetch(`${url}/claim-job?jobId=17&recruiterId=3`);
  await Promise.all(tabs.map((tab) => tab.getByText('2 of 4 claimed').waitFor()));
  expect(await followers()).toBe(1);
}
