import { expect } from 'vitest';
import { browserTest } from '../../support/browser.ts';
import { serveCompanies } from '../../support/company-page.ts';
import { makeDatabase } from '../../support/database.ts';
import { isLive, serve } from '../../support/tabs.ts';

const databaseUrl = await makeDatabase();
const companies = await serveCompanies();

const SAYS = 'This browser is offline. Try again when it is online.';

browserTest('a board whose browser is offline says so, and refuses a click', async ({ open }) => {
  const { url } = await serve({ databaseUrl });
  const page = await open(`${url}/?recruiter=1&q=drones`);
  await isLive(page);
  await page.context().setOffline(true);
  await page.getByText('Offline', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByRole('listitem').getByText(SAYS).waitFor();
  expect(await page.getByText('Asking again…').count()).toBe(0);
  await fetch(`${url}/claim-job?jobId=17&recruiterId=2`);
  await page.context().setOffline(false);
  await isLive(page);
  await page.getByText('1 of 4 claimed').waitFor();
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByText('yours').waitFor();
});

browserTest('all tabs go offline together, and later share one stream again', async ({ open }) => {
  const { url, followers } = await serve({ databaseUrl });
  const tabs = [await open(`${url}/?q=drones`), await open(`${url}/?q=drones`)];
  await Promise.all(tabs.map(isLive));
  await tabs[0]?.context().setOffline(true);
  await Promise.all(tabs.map((tab) => tab.getByText('Offline', { exact: true }).waitFor()));
  await tabs[0]?.context().setOffline(false);
  await Promise.all(tabs.map(isLive));
  await expect.poll(followers, { timeout: 20_000 }).toBe(1);
});

browserTest('a page of a company says that its browser is offline', async ({ open }) => {
  const company = await companies.makeCompany('Netless');
  await company.addEndpoint({ url: 'http://127.0.0.1:9/' });
  const page = await open(company.page);
  await isLive(page);
  await page.context().setOffline(true);
  await page.getByText('Offline', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(SAYS).first().waitFor();
  await page.context().setOffline(false);
  await isLive(page);
});

browserTest('a page of the lab says that a step cannot reach the server', async ({ open }) => {
  const { url } = await serve({ databaseUrl, lab: true });
  const page = await open(`${url}/lab?strategy=naive`);
  const step = page.getByRole('button', { name: 'Step S1' });
  await step.waitFor();
  await page.context().setOffline(true);
  await step.click();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.context().setOffline(false);
});
