import { expect } from 'vitest';
import { browserTest, expectAccessible } from '../support/browser.ts';
import { focused, press, serveCompanies } from '../support/company-page.ts';
import { makeReceiver, type Received } from '../support/receiver.ts';

// test/slow/web/company.test.ts has the rest of the page.
const { url, makeCompany } = await serveCompanies();

browserTest(
  'a person chooses a company, and sees its jobs with slots that are live',
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

browserTest(
  'a new endpoint shows its secret once, and this secret signs the messages',
  async ({ open }) => {
    const receiver = await makeReceiver();
    const company = await makeCompany('Marigold');
    const page = await open(company.page);
    await press(page, 'Add an endpoint');
    await page.keyboard.type(receiver.url);
    await page.getByLabel('Description').fill('Our own system');
    await page.keyboard.press('Enter');
    await page.getByText('Copy this secret now.').waitFor();
    const secret = await page.locator('code.secret').innerText();
    await press(page, 'Hide the secret');
    expect(await page.getByText(secret).count()).toBe(0);
    expect(await focused(page)).toBe(receiver.url);
    await press(page, /^Send a test/);
    await page.getByText(/^Delivered \d/).waitFor();
    const [test] = receiver.received as [Received];
    expect(test.message.type).toBe('endpoint.test');
    receiver.verify(test, secret);
    // Nobody touches the page. The claim alone makes its delivery appear.
    await company.claim(1);
    await page.getByRole('heading', { name: 'claim.created' }).waitFor();
    await expect.poll(() => page.getByText(/^Delivered \d/).count()).toBe(2);
    await page.reload();
    await page.getByText('Our own system').waitFor();
    await expectAccessible(page);
    expect(await page.getByText('whsec_').count()).toBe(0);
  },
);
