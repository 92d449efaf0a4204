import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { replay } from '../../../../src/explorer/explore.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { queue } from '../../../../src/lab/chapters/queue/index.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';
import { makeStage } from '../../../support/stage.ts';

const { url } = await makeService(await makeDatabase());
const stage = await makeStage();
const at = (query: string) => `${url}/lab?${query}`;
const SKIP_LOCKED = 'strategy=queue/skip-locked&situation=crash';
/** A schedule: S1 marks the task as running and dies. S2 and a later worker find nothing to do. */
const STUCK = '1,1,k1,2,2';

const lane = (page: Page, session: number) => page.getByRole('region', { name: `S${session}` });
const headline = (page: Page, text: string) => page.locator('.headline').getByText(text).waitFor();
const said = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).waitFor();
const steps = (page: Page) => page.getByRole('region', { name: 'Steps so far' });
const ledger = (page: Page) => page.getByRole('region', { name: queue.ledger ?? '' });
const press = async (page: Page, ...keys: string[]) => {
  await lane(page, 1).waitFor();
  for (const key of keys) await page.keyboard.press(key);
};

function playedBy(name: string, situation: string, schedule: string) {
  const strategy = queue.strategies.find((each) => each.name === name);
  const found = strategy && queue.situationsOf(strategy).find((each) => each.name === situation);
  if (!found) throw new Error(`queue has no ${name} in ${situation}`);
  return replay(stage, queue.trial(strategy, found, 2), schedule.split(','));
}

describe('a crash', () => {
  browserTest('of S1 is made by keys, and leaves a task unfinished for ever', async ({ open }) => {
    const page = await open(at(SKIP_LOCKED));
    await headline(page, 'Can you leave the task unfinished for ever?');
    await press(page, '1', '1', 'k');
    await said(page, 'Whose process dies? Press 1 or 2, or Escape.');
    await press(page, '1');
    await said(page, 'Step 3. The process of S1 dies. It has no open transaction');
    await lane(page, 1).getByText('its process has died').waitFor();
    expect(await page.locator('.lane.dead').count()).toBe(1);
    await page.getByText('Task 1: running by worker 1').waitFor();
    await expectAccessible(page);
    await press(page, '2', '2');
    await headline(page, 'Left a task unfinished! task 1: 0 mails, unfinished');
    await headline(page, 'You did it in 5 steps.');
    await headline(page, 'With two workers: Of');
    await steps(page)
      .getByRole('rowheader', { name: /^Afterwards time passes, and/ })
      .waitFor();
    await said(page, /S2 is told: idle\. Afterwards time passes, and .* The end: .*stuck/);
    expect(page.url()).toBe(at(`${SKIP_LOCKED}&schedule=${STUCK}`));
    await expectAccessible(page);
  });

  browserTest('in an address comes with the transcript of the command line', async ({ open }) => {
    const page = await open(at(`${SKIP_LOCKED}&schedule=${STUCK}`));
    await headline(page, 'Left a task unfinished!');
    await page.getByText('Transcript', { exact: true }).click();
    const { transcript } = tell(await playedBy('skip-locked', 'crash', STUCK));
    const shown = page.getByRole('region', { name: 'Transcript as text' });
    expect(await shown.textContent()).toBe(transcript);
    const command = `npm run replay -- queue/skip-locked ${STUCK} --situation crash`;
    await page.getByText(command).waitFor();
  });

  browserTest('has a button, and Undo takes the crash back', async ({ open }) => {
    const page = await open(at('strategy=queue/held-transaction&situation=crash&schedule=1'));
    await page.getByRole('button', { name: 'S1’s process dies' }).click();
    await said(page, 'The process of S1 dies. PostgreSQL rolls its transaction back.');
    await steps(page).getByText('PostgreSQL rolls its transaction back').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await lane(page, 1).getByText('would run next:').waitFor();
    expect(await page.locator('.dead').count()).toBe(0);
  });

  browserTest('is refused with a reason, and Escape cancels its key', async ({ open }) => {
    const page = await open(at(SKIP_LOCKED));
    await press(page, 'k', 'Escape', '1');
    await said(page, 'Step 1. S1 runs update lab_queue.tasks');
    await press(page, 'k', '2');
    await said(page, 'A process dies right after a step of its own');
    await press(page, '1', 'k', '1', 'k', '2');
    await said(page, 'No other process dies in this situation.');
    await press(page, 'l');
    await said(page, 'No answer gets lost in this situation.');
  });

  browserTest('can be played in a situation with a single worker', async ({ open }) => {
    const page = await open(at('strategy=queue/skip-locked&situation=alone'));
    await headline(page, 'There is one worker, and you decide what happens next');
    expect(await page.locator('.lane').count()).toBe(1);
    expect(await page.getByRole('combobox').count()).toBe(2);
    await press(page, '1', '1', 'k', '1');
    await headline(page, 'With one worker: Of');
  });
});

describe('an effect', () => {
  browserTest('looks unlike a statement, and stays in the list of mails', async ({ open }) => {
    const page = await open(at('strategy=queue/production&situation=crash'));
    await ledger(page).getByText('nothing').waitFor();
    await press(page, '1', '1');
    await lane(page, 1).getByText('outside the database').waitFor();
    await press(page, '1', 'k', '1');
    await ledger(page)
      .getByText(/S1 send mail 1 with id 1 → accepted, step 3/)
      .waitFor();
    await press(page, 'e');
    await headline(page, 'Not this time:');
    const mails = ledger(page).getByRole('listitem');
    expect(await mails.nth(1).innerText()).toMatch(/^Afterwards send mail 1 .*dropped: a repeat/s);
    await said(page, 'Then: send mail 1 with id 1: dropped: a repeat.');
  });

  browserTest('can be followed by a step in which time passes for everybody', async ({ open }) => {
    const page = await open(at('strategy=queue/production&situation=slow&schedule=1,1,1'));
    await press(page, 't');
    await said(page, 'Step 4. Two days pass.');
    const line = steps(page).getByRole('row', { name: '4 two days pass' }).getByRole('cell');
    expect(await line.getAttribute('colspan')).toBe('2');
  });
});

browserTest('the chapter claims shows no effects, and no process can die', async ({ open }) => {
  const page = await open(at('strategy=claims/naive&schedule=1,2'));
  await page.getByText('3 from before').waitFor();
  expect(await page.locator('.ledger').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'dies' }).count()).toBe(0);
  await press(page, 'k');
  await said(page, 'No process dies in this situation.');
});

browserTest('a strategy name of two chapters means the older chapter', async ({ open }) => {
  const page = await open(at('strategy=production&schedule=1'));
  await page.getByText('4 claims, 4 slots', { exact: false }).or(lane(page, 1)).first().waitFor();
  await lane(page, 1).getByText('Recruiter 1').waitFor();
  await page.getByText('Transcript', { exact: true }).click();
  await page.getByText('npm run replay -- claims/production 1').waitFor();
});

browserTest('an exploration shows the death, and the steps after the end', async ({ open }) => {
  const page = await open(at(`${SKIP_LOCKED}&view=explore`));
  await page.getByRole('button', { name: 'Play every order' }).click();
  await page
    .locator('.result')
    .getByText(/^✗ Of .* left a task unfinished\.$/)
    .waitFor();
  await steps(page).getByText('the process of S1 dies').waitFor();
  await steps(page)
    .getByRole('rowheader', { name: /^Afterwards / })
    .waitFor();
  await page.getByText('S1 died').waitFor();
  await expectAccessible(page);
});

browserTest('the syllabus and Play group the strategies by chapter', async ({ open }) => {
  const page = await open(at('strategy=queue/skip-locked&view=syllabus'));
  const list = page.getByRole('navigation', { name: 'Strategies' });
  const own = list.getByRole('region', { name: 'queue' });
  await page.getByRole('button', { name: 'Show all verdicts' }).click();
  await own.getByRole('link', { name: 'skip-locked leaves a task unfinished' }).waitFor();
  expect(await own.locator('.name').allInnerTexts()).toEqual(
    queue.strategies.map(({ name }) => name),
  );
  await page.getByText(`Here are ${queue.strategies.length} ways`).waitFor();
  const row = page.getByRole('row', {
    name: /^one worker, which may die in each gap.* Of \d+ schedules/,
  });
  await row.getByRole('link').click();
  await headline(page, 'Left a task unfinished!');
  const groups = page.getByRole('combobox', { name: 'Strategy' }).locator('optgroup');
  expect(
    await groups.evaluateAll((all) => all.map((each) => each.getAttribute('label'))),
  ).toContain('queue');
});

browserTest('a played crash is accessible, light and dark, wide and narrow', async ({ open }) => {
  const page = await open(at(`${SKIP_LOCKED}&schedule=${STUCK}`));
  await headline(page, 'Left a task unfinished!');
  await expectAccessibleLooks(page);
});

browserTest('a race kills workers, and counts the results of the tasks', async ({ open }) => {
  const page = await open(at('strategy=queue/skip-locked&view=race&recruiters=4&rounds=2'));
  await page.getByText('Chance kills some of the processes. Afterwards time passes').waitFor();
  await page.getByRole('button', { name: 'Race', exact: true }).click();
  const totals = page.getByRole('table', { name: 'All rounds' });
  await totals.waitFor();
  expect(await totals.getByRole('columnheader').allInnerTexts()).toEqual([
    'skip-locked',
    'production',
  ]);
  for (const row of [/^Once \d+ 40$/, /^Twice \d+ 0$/, /^Lost \d+ 0$/, /^Stuck \d+ 0$/, /^Killed /])
    await totals.getByRole('row', { name: row }).waitFor();
  expect(await page.locator('.chart').count()).toBe(2);
  expect(await page.locator('.chart').first().getByRole('listitem').count()).toBe(4);
  await expectAccessible(page);
});
