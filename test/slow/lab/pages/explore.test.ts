import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';
import { follow } from '../../../support/events.ts';

const { url } = await makeService(await makeDatabase());
const at = (query: string) => `${url}/lab?${query}`;
const NAIVE = 'strategy=naive&view=explore';
const run = (page: Page) => page.getByRole('button', { name: 'Play every order' }).click();
const result = (page: Page, text: string) => page.locator('.result').getByText(text).waitFor();
const step = (page: Page, text: string) =>
  page.getByRole('status').getByText(text, { exact: true }).waitFor();
const rows = (page: Page) => page.getByRole('table').locator('tbody tr').count();

browserTest(
  'an exploration plays all schedules, and shows the clearest schedule that oversells',
  async ({ open }) => {
    const page = await open(at(NAIVE));
    await run(page);
    await result(page, 'Of 20 schedules, 18 oversold.');
    await page.getByRole('status').filter({ hasText: 'Of 20 schedules, 18 oversold.' }).waitFor();
    await step(page, 'Step 6 of 6');
    await page.getByText('5 claims, 4 slots: oversold', { exact: true }).waitFor();
    expect(await rows(page)).toBe(6);
    expect(page.url()).toBe(at(`${NAIVE}&step=6`));
  },
);

browserTest(
  'a person goes through a schedule by buttons and keys, or lets the page play the schedule',
  async ({ open }) => {
    const page = await open(at(`${NAIVE}&step=2`));
    await step(page, 'Step 2 of 6');
    expect(await rows(page)).toBe(2);
    await page.getByRole('button', { name: 'Forward' }).click();
    await step(page, 'Step 3 of 6');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await step(page, 'Step 1 of 6');
    await page.keyboard.press('Home');
    await step(page, 'Step 0 of 6');
    expect(await page.getByRole('button', { name: 'Back' }).isEnabled()).toBe(false);
    await page.keyboard.press('p');
    await step(page, 'Step 1 of 6');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.keyboard.press('End');
    await step(page, 'Step 6 of 6');
    expect(await rows(page)).toBe(6);
  },
);

browserTest(
  'the map shows every order, and each tile opens its order in Play',
  async ({ open }) => {
    const page = await open(at(NAIVE));
    await run(page);
    await page.getByRole('button', { name: 'Draw the map' }).click();
    const map = page.getByRole('group', { name: '20 orders: 18 oversold, 2 hold' });
    await map.waitFor();
    expect(await map.getByRole('link').count()).toBe(20);
    await expectAccessibleLooks(page);
    const saved = await page.getByRole('link', { name: 'Save as SVG' }).getAttribute('href');
    expect(decodeURIComponent(saved ?? '')).toMatch(/^data:image\/svg\+xml,<svg xmlns=.*<\/svg>$/);
    await map.getByRole('link').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(at('strategy=naive&schedule=1,1,2,1,2,2'));
    await page.locator('.headline').getByText('Oversold!').waitFor();
  },
);

browserTest('a large branch of the map opens and closes by the keyboard', async ({ open }) => {
  const page = await open(at('strategy=fenced-lease&view=explore&situation=one-more'));
  await run(page);
  await page.getByRole('button', { name: 'Draw the map' }).click();
  const branch = page.locator('.order-map [data-branch]').first();
  await branch.waitFor({ timeout: 60_000 });
  expect(await branch.getAttribute('aria-expanded')).toBe('false');
  const before = await page.locator('.order-map a').count();
  await branch.focus();
  await page.keyboard.press('Enter');
  await page.locator('.order-map [aria-expanded="true"]').first().waitFor();
  expect(await page.locator('.order-map a').count()).toBeGreaterThan(before);
  await expect.poll(() => page.evaluate('document.activeElement.dataset.branch')).toBeTruthy();
  await page.keyboard.press(' ');
  await page.locator('.order-map [aria-expanded="true"]').first().waitFor({ state: 'detached' });
});

/**
 * A script that returns whether the last row is above the buttons, and the buttons are on the
 * screen.
 */
const IS_IN_VIEW = `(() => {
  const row = [...document.querySelectorAll('tbody tr')].at(-1).getBoundingClientRect();
  const buttons = document.querySelector('.player').getBoundingClientRect();
  return row.bottom <= buttons.top && buttons.bottom <= innerHeight;
})()`;

browserTest('a student on a phone sees each new step, and the buttons', async ({ open }) => {
  const page = await open(at(`${NAIVE}&lesson=3`), { width: 390, height: 600 });
  await run(page);
  await step(page, 'Step 1 of 6');
  const forward = page.getByRole('button', { name: 'Forward' });
  for (const number of [2, 3, 4, 5]) {
    await forward.click();
    await step(page, `Step ${number} of 6`);
    // The test polls from outside, because a poll inside the page would need `unsafe-eval`.
    await expect.poll(() => page.evaluate(IS_IN_VIEW)).toBe(true);
  }
});

browserTest('an address shows the same step again, with a link to Play', async ({ open }) => {
  const page = await open(at(NAIVE));
  await run(page);
  await step(page, 'Step 6 of 6');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await step(page, 'Step 4 of 6');
  const again = await open(page.url());
  await step(again, 'Step 4 of 6');
  expect(await again.getByRole('table').innerText()).toBe(
    await page.getByRole('table').innerText(),
  );
  await again.getByRole('link', { name: 'Open in Play at step 4' }).click();
  await again.locator('.headline').getByText('Can you oversell it?').waitFor();
  expect(again.url()).toBe(at('strategy=naive&schedule=1,1,2,2'));
});

browserTest(
  'after Clear or another strategy, a counterexample does not begin again',
  async ({ open }) => {
    const page = await open(at(`${NAIVE}&step=3`));
    await step(page, 'Step 3 of 6');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Play every order' }).waitFor();
    expect(page.url()).toBe(at(NAIVE));
    await page.goto(at(`${NAIVE}&step=3`));
    await step(page, 'Step 3 of 6');
    await page.getByLabel('Strategy').selectOption('transaction');
    await page.getByRole('button', { name: 'Play every order' }).waitFor();
    expect(await page.locator('.result').count()).toBe(0);
  },
);

browserTest('arrow keys in a region that scrolls do not change the step', async ({ open }) => {
  const page = await open(at(`${NAIVE}&step=3`));
  await step(page, 'Step 3 of 6');
  await page.getByText('Transcript', { exact: true }).click();
  await page.getByRole('region', { name: 'Transcript as text' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: 'Forward' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('.player').innerText()).toContain('Step 4 of 6');
});

browserTest('the page says that it cannot reach the server', async ({ open }) => {
  const page = await open(at('strategy=fenced-lease&view=explore'));
  await page.route('**/lab/explorations?*', (route) => route.abort());
  await run(page);
  await page.getByText('The server cannot be reached.').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.unroute('**/lab/explorations?*');
  await run(page);
  await page.getByText(/\d+ of \d+ schedules/).waitFor();
});

browserTest('the page shows the transcript that the service sends', async ({ open }) => {
  const told = await follow((init) => fetch(`${url}/lab/explorations?strategy=naive`, init));
  await told.ended;
  const { counterexample } = told.events.at(-1)?.data ?? {};
  const page = await open(at(`${NAIVE}&step=6`));
  await page.getByText('Transcript', { exact: true }).click();
  const text = page.getByRole('region', { name: 'Transcript as text' });
  expect(await text.locator('pre').textContent()).toBe(counterexample.transcript);
  await page.getByText(`npm run replay -- naive ${counterexample.schedule.join()}`).waitFor();
});

browserTest('the page of a safe strategy shows only that all schedules hold', async ({ open }) => {
  const page = await open(at('strategy=row-lock&view=explore'));
  await run(page);
  await result(page, 'All 8 schedules hold.');
  expect(await page.getByRole('table').count()).toBe(0);
  await page.getByLabel('Strategy').selectOption('insert-then-lock');
  await page.getByRole('button', { name: 'Play every order' }).waitFor();
  await run(page);
  await result(page, 'Of 18 schedules, 12 deadlocked.');
  await page.getByText('waits for S1').first().waitFor();
});

browserTest('a second exploration waits until the first exploration stops', async ({ open }) => {
  const first = await open(at('strategy=fenced-lease&view=explore'));
  const second = await open(at('strategy=optimistic&view=explore'));
  await run(first);
  await first.getByText(/\d+ of \d+ schedules/).waitFor();
  const { 'last-slot': proof } = knownVerdicts['claims/fenced-lease']?.situations ?? {};
  const most = await first.getByRole('progressbar').getAttribute('max');
  expect(Number(most)).toBe(proof?.schedules);
  await run(second);
  await second.getByText('You are number 1 in line.').waitFor();
  await first.getByRole('button', { name: 'Stop' }).click();
  await result(second, 'All 92 schedules hold.');
});

browserTest('the page Explore is accessible, light and dark, wide and narrow', async ({ open }) => {
  const page = await open(at('strategy=insert-then-lock&view=explore&step=7'));
  await step(page, 'Step 7 of 7');
  await expectAccessibleLooks(page);
});
