import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { retries } from '../../../../src/lab/chapters/retries/index.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';

const { url } = await makeService(await makeDatabase());
const at = (query: string) => `${url}/lab?${query}`;
const STATUS = 'strategy=retries/status&situation=alone';
/**
 * A schedule: S1 charges the client and dies. The retry finds a pending key, and charges the client
 * again.
 */
const TWICE = '1,1,1,k1';

const lane = (page: Page, session: number) => page.getByRole('region', { name: `S${session}` });
const headline = (page: Page, text: string) => page.locator('.headline').getByText(text).waitFor();
const said = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).waitFor();
const steps = (page: Page) => page.getByRole('region', { name: 'Steps so far' });
const entries = (page: Page) =>
  page.getByRole('region', { name: retries.ledger ?? '' }).getByRole('listitem');
const press = async (page: Page, ...keys: string[]) => {
  await lane(page, 1).waitFor();
  for (const key of keys) await page.keyboard.press(key);
};

describe('a request', () => {
  browserTest('is charged twice, and the page says when the retry comes', async ({ open }) => {
    const page = await open(at(STATUS));
    await headline(page, 'Can you charge the client twice?');
    await press(page, '1', '1', '1');
    await said(page, 'Step 3. S1 does this outside the database: charge: receipt 1.');
    expect(await entries(page).allInnerTexts()).toEqual([
      expect.stringMatching(/^S1\s+charge\s+→ receipt 1/),
    ]);
    await press(page, 'k', '1');
    await headline(page, 'Did a request twice!');
    await steps(page)
      .getByText('the client has heard nothing, and asks again, 2 days later')
      .waitFor();
    expect(await entries(page).allInnerTexts()).toEqual([
      expect.stringMatching(/^S1\s+charge\s+→ receipt 1/),
      expect.stringMatching(
        /^Afterwards\s+the client has heard nothing, and asks again, 2 days later/,
      ),
      expect.stringMatching(/^Afterwards\s+charge\s+→ receipt 2/),
      expect.stringMatching(/^Afterwards\s+answer: done, receipt 2/),
      expect.stringMatching(/^Afterwards\s+the client asks again, at once, to compare/),
      expect.stringMatching(/^Afterwards\s+answer: done, receipt 2/),
    ]);
    expect(page.url()).toContain(`&schedule=${TWICE}`);
    await expectAccessible(page);
  });

  browserTest('that reads memory is shown as a step in memory', async ({ open }) => {
    const page = await open(at('strategy=retries/map'));
    await lane(page, 1).getByText('in memory look for key k in the memory of server 1').waitFor();
    await press(page, '1');
    await said(page, 'S1 does this in memory: look for key k in the memory of server 1');
  });

  browserTest('loses its answer if a person presses l', async ({ open }) => {
    const page = await open(at('strategy=retries/delete-on-failure&situation=alone'));
    await press(page, '1', '1', 'l', '1');
    await said(page, 'S1 makes this step, but its answer is lost');
    await page.keyboard.press('e');
    await headline(page, 'Did a request twice!');
    expect(await entries(page).first().innerText()).toContain('done, but the answer is lost');
  });

  browserTest('is answered if a person presses . or the session number', async ({ open }) => {
    for (const keys of [['.', '1'], ['1']]) {
      const page = await open(at('strategy=retries/none&situation=alone'));
      await press(page, '1', ...keys);
      await headline(page, 'Did a request twice!');
      await steps(page).getByText('answer: done, receipt 1').waitFor();
      expect(page.url()).toContain('&schedule=1,.1');
    }
  });

  browserTest('is answered, and then its server dies, if a person presses d', async ({ open }) => {
    const page = await open(at('strategy=retries/map&situation=alone'));
    await press(page, 'd');
    await said(page, 'Nobody answers a client now.');
    await press(page, '1', '1', '1');
    await said(page, 'Step 3.');
    await press(page, 'd', '1');
    await said(page, 'S1 answers, and then its process dies');
    await headline(page, 'Did a request twice!');
    expect(await steps(page).locator('td.dead').count()).toBe(1);
    await headline(page, 'the client heard: done, receipt 1; then done, receipt 2');
  });

  browserTest('takes longer than its lease if a person presses t', async ({ open }) => {
    const page = await open(at('strategy=retries/lease&situation=slow'));
    await press(page, '1', '1', '1', 't');
    await said(page, 'Step 4. Two days pass.');
    await press(page, '2', '2', '2', 'e');
    await headline(page, 'Did a request twice!');
  });

  browserTest('to the strategy production is done once, even after a crash', async ({ open }) => {
    const page = await open(at('strategy=retries/production&situation=crash'));
    await press(page, '1', '1', 'k', '1', 'e');
    await headline(page, 'Not this time:');
    await headline(page, 'charged once');
  });
});

browserTest('the syllabus says for each situation when the retry comes', async ({ open }) => {
  const page = await open(at('strategy=retries/insert-first&view=syllabus'));
  await page.getByText(`Here are ${retries.strategies.length} ways`).waitFor();
  await page.getByRole('button', { name: 'Show all verdicts' }).click();
  for (const { idea } of retries.situationsOf(retries.strategies[0] as never))
    await page.getByRole('row', { name: idea }).first().waitFor();
  await expectAccessible(page);
});

browserTest('an exploration shows a request that is never done', async ({ open }) => {
  const page = await open(at('strategy=retries/insert-first&situation=alone&view=explore'));
  await page.getByRole('button', { name: 'Play every order' }).click();
  await page.locator('.result').getByText('never did a request').waitFor();
  await steps(page)
    .getByText('the client has heard nothing, and asks again, 2 days later')
    .waitFor();
  await expectAccessible(page);
});

browserTest('a race kills servers, and counts the charges', async ({ open }) => {
  const page = await open(at('strategy=retries/insert-first&view=race&rounds=2'));
  await page.getByRole('button', { name: 'Race', exact: true }).click();
  const totals = page.getByRole('table', { name: 'All rounds' });
  await totals.waitFor();
  for (const row of [
    /^Once \d+ 8$/,
    /^Twice \d+ 0$/,
    /^Never \d+ 0$/,
    /^Untold \d+ 0$/,
    /^Killed /,
  ])
    await totals.getByRole('row', { name: row }).waitFor();
  await expectAccessible(page);
});

browserTest('a played retry is accessible, light and dark, wide and narrow', async ({ open }) => {
  const page = await open(at(`${STATUS}&schedule=${TWICE}`));
  await headline(page, 'Did a request twice!');
  await expectAccessibleLooks(page, [1600, 360]);
});
