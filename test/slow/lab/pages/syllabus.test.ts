import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { strategies } from '../../../../src/lab/chapters/claims/strategies/index.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';

const { url } = await makeService(await makeDatabase());
const at = (strategy: string) => `${url}/lab?strategy=${strategy}&view=syllabus`;
const showAll = (page: Page) => page.getByRole('button', { name: 'Show all verdicts' }).click();

browserTest('a verdict is hidden until a person predicts it or asks for it', async ({ open }) => {
  const page = await open(at('claims/one-statement'));
  const list = page.getByRole('region', { name: 'claims', exact: true });
  await page.getByRole('region', { name: /one-statement.ts/ }).waitFor();
  const hidden = list.getByRole('link', { name: 'verdict hidden' });
  expect(await hidden.count()).toBe(strategies.length);
  expect(await page.getByRole('table').count()).toBe(0);
  const giveAway = /promise:|one old snapshot|old snapshot, taken|A trap|THE GAP|oversells/;
  expect(await page.getByRole('article').innerText()).not.toMatch(giveAway);
  await page.getByRole('button', { name: 'It holds' }).click();
  await page.getByText('You predicted that it holds: wrong.').waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('verdict');
  expect(await page.getByRole('article').innerText()).toMatch(giveAway);
  await list.getByRole('link', { name: 'row-lock' }).click();
  await page.getByRole('heading', { name: 'row-lock' }).waitFor();
  await page.getByRole('button', { name: 'Show the verdict' }).click();
  // The browser remembers which verdicts were shown.
  await page.reload();
  await list.getByRole('link', { name: 'row-lock holds' }).waitFor();
  await list.getByRole('link', { name: 'one-statement oversells' }).waitFor();
  expect(await hidden.count()).toBe(strategies.length - 2);
  await showAll(page);
  expect(await hidden.count()).toBe(0);
  await page.getByRole('button', { name: 'Hide the verdicts' }).click();
  expect(await hidden.count()).toBe(strategies.length - 2);
});

browserTest('all strategies of claims are listed in order with verdicts', async ({ open }) => {
  const page = await open(at('naive'));
  const list = page.getByRole('region', { name: 'claims', exact: true });
  await showAll(page);
  const names = await list.locator('.name').allInnerTexts();
  expect(names).toEqual(strategies.map(({ name }) => name));
  await list.getByRole('link', { name: 'naive oversells' }).waitFor();
  await list.getByRole('link', { name: 'insert-then-lock deadlocks' }).waitFor();
  await list.getByRole('link', { name: 'row-lock holds' }).click();
  await page.waitForURL(at('claims/row-lock'));
  await page.getByRole('heading', { name: 'row-lock' }).waitFor();
  expect(await list.locator('[aria-current]').innerText()).toContain('row-lock');
  await page.goBack();
  await page.getByRole('heading', { name: 'naive' }).waitFor();
});

/** A script that returns whether the list shows the link of the current strategy. */
const IS_IN_LIST = `(() => {
  const box = document.querySelector('.strategies')?.getBoundingClientRect();
  const link = document.querySelector('.strategies [aria-current]');
  const { top, bottom } = link?.getBoundingClientRect() ?? {};
  return box !== undefined && top >= box.top && bottom <= box.bottom;
})()`;

browserTest('the list scrolls to a current strategy in the last chapter', async ({ open }) => {
  for (const width of [1280, 360]) {
    const page = await open(at('retries/none'), { width });
    // The test polls from outside, because a poll inside the page would need `unsafe-eval`.
    await expect.poll(() => page.evaluate(IS_IN_LIST), { timeout: 20_000 }).toBe(true);
  }
});

browserTest('the source is highlighted, and the decisive statement is marked', async ({ open }) => {
  const page = await open(at('naive'));
  await showAll(page);
  const lines = readFileSync(
    inProject('src/lab/chapters/claims/strategies/naive.ts'),
    'utf8',
  ).split('\n');
  const line = 1 + lines.findIndex((each) => each.includes('await countClaims('));
  await page.getByText(`the decisive statement is marked, at line ${line}`).waitFor();
  expect(await page.locator('mark').allInnerTexts()).toEqual([
    '    const decision = await countClaims(db, request);',
  ]);
  const colourOf = (kind: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('.source ${kind}')).color`);
  const kinds = ['.line', '.token-keyword', '.token-string', '.token-type', '.token-comment'];
  const colours = await Promise.all(kinds.map(colourOf));
  expect(new Set(colours).size).toBe(5);
  const list = page.getByRole('region', { name: 'claims', exact: true });
  await list.getByRole('link', { name: /^production/ }).click();
  const lock = page.getByRole('region', { name: 'src/service/claims/slots.ts' });
  await lock.locator('mark').first().waitFor();
  expect((await lock.locator('mark').allInnerTexts()).join('\n')).toContain('for update');
});

browserTest('one click on a fault plays the schedule of the fault', async ({ open }) => {
  const page = await open(at('one-statement'));
  await showAll(page);
  const row = page.getByRole('row', { name: /^one slot is left Of 14 schedules, 6 oversold/ });
  await row.getByRole('link').click();
  await page.locator('.headline').getByText('Oversold!').waitFor();
  expect(page.url()).toMatch(/strategy=one-statement&schedule=[12,]+$/);
});

browserTest('the syllabus is accessible, light and dark, wide and narrow', async ({ open }) => {
  const page = await open(at('fenced-lease'));
  const beside = await open(at('fenced-lease'));
  for (const tab of [page, beside]) await tab.getByText('Predict first.').waitFor();
  await page.locator('.source').first().waitFor();
  await expectAccessibleLooks(page);
  await page.getByRole('button', { name: 'It holds' }).click();
  // The other tab also shows the verdict.
  for (const tab of [page, beside])
    await tab.getByText('the decisive statement is marked').waitFor();
  await expectAccessibleLooks(page);
});

browserTest('the page says that a strategy is unknown', async ({ open }) => {
  const page = await open(at('hope'));
  await page.getByRole('alert').getByText('There is no strategy hope.').waitFor();
});
