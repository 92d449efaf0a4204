import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { makeService } from '../../support/app.ts';
import { browserTest, expectAccessibleLooks } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';

const { url } = await makeService(await makeDatabase());
const at = (query: string) => `${url}/lab?${query}`;
const RACE = 'strategy=naive&view=race';
const start = (page: Page) => page.getByRole('button', { name: 'Race', exact: true }).click();
const totals = (page: Page) => page.getByRole('table', { name: 'All rounds' });
const chart = (page: Page, strategy: string) =>
  page.getByRole('region', { name: new RegExp(`^${strategy}, round`) });

browserTest('naive races beside row-lock, and only naive oversells', async ({ open }) => {
  const page = await open(at(RACE));
  await start(page);
  await totals(page).waitFor();
  for (const row of [/^Oversold [1-5] of 5 0 of 5$/, /^At most [5-8] 4$/, /^Refused \d+ 20$/])
    await totals(page).getByRole('row', { name: row }).waitFor();
  const marked = await page.getByRole('button', { name: /^Round \d naive oversold$/ }).count();
  await totals(page)
    .getByRole('row', { name: new RegExp(`^Oversold ${marked} of 5`) })
    .waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: /naive oversold in [1-5] of 5 rounds.*row-lock never gave out more than 4/ })
    .waitFor();
  await chart(page, 'naive')
    .getByText(/[5-8] claims in the table for 4 slots: oversold/)
    .first()
    .waitFor();
  await chart(page, 'row-lock').getByText('4 claims in the table for 4 slots').first().waitFor();
});

browserTest('each recruiter has a lane, and waits for a lock are hatched', async ({ open }) => {
  const page = await open(at(RACE));
  await start(page);
  await totals(page).waitFor();
  for (const strategy of ['naive', 'row-lock'])
    expect(await chart(page, strategy).getByRole('listitem').count()).toBe(8);
  const hatched = (strategy: string) =>
    chart(page, strategy).locator('rect[fill="url(#lock-wait)"]').count();
  expect(await hatched('row-lock')).toBeGreaterThan(0);
  expect(await hatched('naive')).toBe(0);
  const words = await chart(page, 'naive').locator('.word').allTextContents();
  expect(new Set(words.map((word) => word.trim()))).toEqual(new Set(['count', 'insert']));
  expect(await page.locator('pattern#lock-wait').count()).toBe(1);
  const spoken = await chart(page, 'row-lock').getByRole('listitem').allInnerTexts();
  expect(spoken.filter((text) => text.includes('succeeded after'))).toHaveLength(4);
  expect(spoken.filter((text) => /was refused after [\d.]+ ms, of which/.test(text))).toHaveLength(
    4,
  );
});

browserTest(
  'the unit stands beside the axis, and the words count who can succeed',
  async ({ open }) => {
    const page = await open(at(`${RACE}&recruiters=3&rounds=1`));
    await page.getByText('and 3 of them can succeed.').waitFor();
    await start(page);
    await totals(page).waitFor();
    const [box, unit] = await Promise.all(
      ['.lane-box', '.axis span'].map((each) => page.locator(each).first().boundingBox()),
    );
    if (!box || !unit) throw new Error('the axis has no unit');
    expect(unit.y + unit.height).toBeLessThanOrEqual(box.y + box.height);
  },
);

browserTest('every round can be looked at, and read as text', async ({ open }) => {
  const page = await open(at(`${RACE}&rounds=3`));
  await start(page);
  await totals(page).waitFor();
  await page.getByRole('button', { name: 'Round 3' }).click();
  const third = page.getByRole('region', { name: 'row-lock, round 3' });
  await third.getByText('As text').click();
  await third.getByText(/^row-lock, one round:\s+Recruiter \d: 200 OK/).waitFor();
  await page.getByText('As text, as the command line prints it').click();
  await page.getByText('row-lock promised the capacity, and kept the promise.').waitFor();
});

browserTest('the address has the settings of the race', async ({ open }) => {
  const page = await open(at(RACE));
  await page.getByLabel('Strategy').selectOption('transaction');
  await page.getByLabel('Compare with').selectOption('nothing');
  await page.getByLabel('Recruiters').fill('5');
  await page.getByLabel('Recruiters').press('Tab');
  await page.getByLabel('Rounds').fill('2');
  await page.getByLabel('Rounds').press('Tab');
  const address = at('strategy=claims/transaction&view=race&beside=&recruiters=5&rounds=2');
  await page.waitForURL(address);
  const again = await open(address);
  await start(again);
  await totals(again)
    .getByRole('row', { name: /^Oversold \d of 2$/ })
    .waitFor();
  expect(await chart(again, 'transaction').getByRole('listitem').count()).toBe(5);
  expect(await again.locator('.chart').count()).toBe(1);
});

browserTest('a crowd that is too large does not start', async ({ open }) => {
  const page = await open(at(`${RACE}&recruiters=51`));
  await start(page);
  const message = "document.querySelector('input:invalid').validationMessage";
  expect(await page.evaluate(message)).toMatch(/50/);
  expect(await page.locator('.chart').count()).toBe(0);
});

browserTest('a second race waits in line until the first is left', async ({ open }) => {
  const first = await open(at(`${RACE}&recruiters=50&rounds=20`));
  await start(first);
  await first.getByText(/^\d+ of 40 rounds$/).waitFor();
  const second = await open(at(`${RACE}&rounds=1`));
  await start(second);
  await second.getByText('You are number 1 in line.').waitFor();
  await first.getByRole('link', { name: 'Syllabus' }).click();
  await totals(second).waitFor();
});

browserTest('it is accessible, light and dark, wide and narrow', async ({ open }) => {
  const page = await open(at(`${RACE}&rounds=1`));
  await start(page);
  await totals(page).waitFor();
  await expectAccessibleLooks(page);
});
