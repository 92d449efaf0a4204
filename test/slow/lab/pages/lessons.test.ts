import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { readLessons } from '../../../../src/lab/lessons/lesson.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';
import { reachGoal } from '../../../support/lesson-goal.ts';

const { url } = await makeService(await makeDatabase());
const at = (number: number) => `${url}/lab?view=lessons&lesson=${number}`;
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

browserTest('a person goes through a whole lesson, by the keyboard alone', async ({ open }) => {
  const page = await open(at(2));
  await page.getByRole('radio').first().waitFor();
  await page.getByRole('heading', { name: /Understand opens after the goal/ }).waitFor();

  await press(page, 'Tab', 'Space', 'ArrowDown', 'Tab', 'Enter');
  await page.getByText('You predicted B.', { exact: true }).waitFor();
  await expect.poll(() => focused(page)).toBe('2Do');

  await press(page, 'Tab');
  expect(await focused(page)).toBe('Open Play with everything set');
  await press(page, 'Enter');
  const goal = page.getByRole('complementary', { name: 'Goal of lesson 2' });
  await goal.getByText('Oversell the job: give both recruiters the last slot.').waitFor();
  // The link is gone, so the part has the focus. The next keys come before the lanes are there.
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('part');

  // Recruiter 2 begins after recruiter 1 has ended, so the goal is not reached.
  await press(page, ...'111e');
  await page.getByRole('status').filter({ hasText: 'The end: 4 claims, 4 slots' }).waitFor();
  expect(await goal.innerText()).not.toContain('reached');
  await press(page, 'r', ...'121212');
  await goal.getByText('You have reached the goal.').waitFor();
  await expectAccessible(page);

  await goal.getByRole('link', { name: 'What you saw' }).press('Enter');
  await page.getByText('You predicted B. The answer is C.').waitFor();
  await expect.poll(() => focused(page)).toBe('3Understand');
  await page.getByRole('link', { name: 'Next: 3. Add a transaction' }).press('Enter');
  await expect.poll(() => focused(page)).toBe('3. Add a transaction');
  expect(page.url()).toBe(at(3));
  await page.getByRole('link', { name: 'All lessons' }).press('Enter');
  await page.getByText('✓ done').waitFor();
});

browserTest(
  'the goal comes after the vote, because it may give the answer away',
  async ({ open }) => {
    const page = await open(at(4));
    await page.getByRole('radio').first().waitFor();
    const goal = page.getByText('no order oversells any more');
    expect(await goal.count()).toBe(0);
    await page.getByRole('radio').first().check();
    await page.getByRole('button', { name: 'This is my prediction' }).click();
    await goal.waitFor();
  },
);

browserTest(
  'the answer of lesson 4 has the maps of all orders without and with the lock',
  async ({ open }) => {
    const page = await open(at(4));
    await page.getByRole('radio').first().check();
    await page.getByRole('button', { name: 'This is my prediction' }).click();
    await page.getByRole('button', { name: 'Show the answer now' }).click();
    await page.getByRole('button', { name: 'Draw the maps' }).click();
    const without = page.getByRole('figure', { name: 'claims/transaction' });
    await without.getByRole('group', { name: '20 orders: 18 oversold, 2 hold' }).waitFor();
    const locked = page.getByRole('figure', { name: 'claims/row-lock' });
    await locked.getByRole('group', { name: '8 orders: 8 hold' }).waitFor();
    await expectAccessible(page);
    await locked.getByRole('link').first().click();
    await page.getByRole('status').filter({ hasText: '4 claims, 4 slots' }).waitFor();
  },
);

browserTest('lesson 8 is done as soon as PostgreSQL has found the deadlock', async ({ open }) => {
  const page = await open(`${url}/lab?strategy=insert-then-lock&situation=last-slot&lesson=8`);
  await page.getByRole('region', { name: 'S1' }).waitFor();
  await press(page, ...'1212');
  const goal = page.getByRole('complementary', { name: 'Goal of lesson 8' });
  await goal.getByText('You have reached the goal.').waitFor();
  await page.getByText('Deadlocked! PostgreSQL has stopped S2.').waitFor();
  await expectAccessible(page);
});

/**
 * Lessons of two chapters, on the pages Race, Explore and Play. The campaigns test every lesson.
 */
const SOME = [1, 3, 4, 14];

describe.each(readLessons().filter(({ number }) => SOME.includes(number)))(
  'the goal of lesson $number',
  (lesson) => {
    browserTest('can be reached', ({ open }) => reachGoal(`${url}/lab`, open, lesson));
  },
);

browserTest(
  'a goal counts only with the strategy and the situation of its lesson',
  async ({ open }) => {
    const oversold = 'schedule=1,2,1,2,1,2&lesson=3';
    const page = await open(`${url}/lab?strategy=claims/naive&${oversold}`);
    await page.getByText('Oversold!').waitFor();
    const goal = page.getByRole('complementary', { name: 'Goal of lesson 3' });
    await goal.getByRole('link', { name: 'Open Explore with everything set' }).waitFor();
    expect(await goal.innerText()).not.toContain('reached');
  },
);
