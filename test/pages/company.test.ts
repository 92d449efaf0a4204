import { expect } from 'vitest';
import { browserTest } from '../support/browser.ts';
import { serveCompanies } from '../support/company-page.ts';

// test/slow/pages/company.test.ts has the other tests of this page.
const { url, makeCompany } = await serveCompanies();

browserTest(
  'a person chooses a company, and sees its jobs with slots that change live',
  async ({ open }) => {
    const { job, claim } = await makeCompany('Larkspur');
    const page = await open(`${url}/`);
    await page.getByRole('link', { name: 'Companies' }).click();
    await page.getByText('Choose your company.').waitFor();
    await page.getByLabel('You are').fill('larksp');
    await page.getByRole('option', { name: 'Larkspur' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Larkspur' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.title()).toBe('Larkspur · Companies · Rowlock');
    const row = page.getByRole('listitem').filter({ hasText: job.role });
    await row.getByText('0 of 4 claimed').waitFor();
    await claim(1);
    await row.getByText('1 of 4 claimed').waitFor();
    await page.getByText('There is no endpoint yet.').waitFor();
    // The next tab of the same browser remembers the company.
    const next = await open(`${url}/company`);
    await next.getByRole('heading', { level: 1, name: 'Larkspur' }).waitFor();
    await next.getByRole('link', { name: 'Job board' }).click();
    await next.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  },
);
