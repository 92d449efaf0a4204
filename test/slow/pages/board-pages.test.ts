import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, expect } from 'vitest';
import { makeService } from '../../support/app.ts';
import { browserTest } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';

const databaseUrl = await makeDatabase();
const { url } = await makeService(databaseUrl);
const sql = postgres(databaseUrl, { max: 1 });
await sql`
  INSERT INTO jobs (company_id, role) SELECT 1 + n % 6, 'Post ' || n FROM generate_series(1, 100000) n`;
await sql`
  INSERT INTO job_claims (job_id, recruiter_id)
  SELECT id, slot FROM jobs, generate_series(1, 4) slot WHERE role LIKE 'Post %000'`;
await sql`ANALYZE`;
afterAll(() => sql.end());

/** The maximum time for a page of the 100,000 jobs. A busy machine needs this much time. */
const SOON = { timeout: 10_000 };
const roles = 'Array.from(document.querySelectorAll(".job h2"), (each) => each.textContent)';

browserTest(
  'a person can turn the pages of 100,000 jobs, and each page has an address',
  async ({ open }) => {
    const page = await open(url);
    const rolesShown = () => page.evaluate(roles) as Promise<string[]>;
    await expect.poll(async () => (await rolesShown()).length, SOON).toBe(50);
    const first = await rolesShown();
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(async () => (await rolesShown())[0], SOON).toBe('Post 27');
    const address = page.url();
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(async () => (await rolesShown())[0], SOON).toBe('Post 77');
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(async () => (await rolesShown())[0], SOON).toBe('Post 27');
    await page.goBack();
    await expect.poll(async () => (await rolesShown())[0], SOON).toBe('Post 77');
    await page.getByRole('button', { name: 'First' }).click();
    await expect.poll(rolesShown, SOON).toEqual(first);
    const other = await open(address);
    await other.getByRole('heading', { name: 'Post 27', exact: true }).waitFor();
  },
);

browserTest(
  'a search finds a few of 100,000 jobs, and a filter finds the full jobs',
  async ({ open }) => {
    const page = await open(url);
    const rolesShown = () => page.evaluate(roles) as Promise<string[]>;
    await page.getByLabel('Search').fill('post 99999 tallow');
    await page.getByText('There is no job with “post 99999 tallow”.').waitFor();
    await page.getByLabel('Search').fill('post 99999');
    await expect.poll(rolesShown, SOON).toEqual(['Post 99999']);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Full').check();
    await expect
      .poll(async () => (await rolesShown()).slice(0, 2), SOON)
      .toEqual(['Post 1000', 'Post 2000']);
    expect(await rolesShown()).toHaveLength(50);
    expect(new URL(page.url()).search).toBe('?status=full');
    await page.getByLabel('Open').check();
    await expect
      .poll(async () => (await rolesShown())[0], SOON)
      .toBe('Senior Backend Engineer, Payments');
  },
);

browserTest('a page follows its jobs only while its tab is visible', async ({ open }) => {
  const followers = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.match(/^rowlock_followers (\d+)$/m)?.[1];
  };
  const page = await open(`${url}/?q=post+500`);
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await followers()).toBe('1');
  const see = (isSeen: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isSeen} });
      document.dispatchEvent(new Event('visibilitychange'));`);
  await see(false);
  await expect.poll(followers, SOON).toBe('0');
  await fetch(`${url}/claim-job?jobId=524&recruiterId=1`);
  await see(true);
  await page.getByRole('listitem').filter({ hasText: '1 of 4 claimed' }).waitFor();
  expect(await followers()).toBe('1');
});

browserTest('a newly posted job appears on the last page', async ({ open }) => {
  const page = await open(`${url}/?q=zeppelin`);
  await page.clock.install();
  await page.reload();
  await page.getByText('There is no job with “zeppelin”.').waitFor();
  await sql`INSERT INTO jobs (company_id, role) VALUES (1, 'Zeppelin Captain')`;
  await page.clock.runFor(10_000);
  await page.getByRole('heading', { name: 'Zeppelin Captain' }).waitFor();
});

browserTest('a sixth tab waits for a stream, but can claim meanwhile', async ({ open }) => {
  // Each tab shows another job, so no tabs share a stream.
  const board = (recruiterId: number) => `${url}/?recruiter=${recruiterId}&q=post+77${recruiterId}`;
  const live: Page[] = [];
  for (const recruiterId of [1, 2, 3, 4, 5]) {
    const page = await open(board(recruiterId));
    await page.getByText('Live', { exact: true }).waitFor();
    live.push(page);
  }
  const sixth = await open(board(6));
  await sixth.getByText('Not live: this browser has five other streams').waitFor();
  await sixth.getByRole('button', { name: 'Claim Post 776', exact: true }).click();
  const row = sixth.getByRole('listitem').filter({ hasText: 'yours' });
  await row.getByText('1 of 4 claimed').waitFor();
  // It does not matter which of the five tabs the test closes.
  await live[2]?.close();
  await sixth.getByText('Live', { exact: true }).waitFor();
});
