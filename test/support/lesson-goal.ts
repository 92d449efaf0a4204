import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Lesson } from '../../src/lab/lessons/lesson.ts';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';

/** After these steps, the second session waits for the first session. */
const WAIT = '1,2';

/** Goes through the lesson on the lab's page at `lab`, and reaches its goal. */
export async function reachGoal(
  lab: string,
  open: (url: string) => Promise<Page>,
  { number, inBrowser: { setting } }: Lesson,
) {
  const page = await open(`${lab}?view=lessons&lesson=${number}`);
  await page.getByRole('radio').first().check();
  await page.getByRole('button', { name: 'This is my prediction' }).click();
  const link = page.getByRole('link', { name: /with everything set/ });
  const address = new URL((await link.getAttribute('href')) ?? '', lab);
  await link.click();
  const goal = page.getByRole('complementary', { name: `Goal of lesson ${number}` });
  await goal.waitFor();
  expect(await goal.getByRole('link').count()).toBe(1);
  if (setting.page === 'play') {
    const { clearest } = knownVerdicts[setting.strategy]?.situations[setting.situation] ?? {};
    const schedule = clearest?.[setting.goal] ?? WAIT;
    await page.goto(`${address}&schedule=${schedule}`);
    if (setting.goal === 'wait') await page.getByRole('button', { name: /Run to the end/ }).click();
  } else {
    const name = setting.page === 'race' ? 'Race' : 'Play every order';
    await page.getByRole('button', { name, exact: true }).click();
  }
  await goal.getByText('You have reached the goal.').waitFor();
  await goal.getByRole('link', { name: 'What you saw' }).click();
  await page.getByRole('heading', { name: 'What you saw' }).waitFor();
}
