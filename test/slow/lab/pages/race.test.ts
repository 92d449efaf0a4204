import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createLab } from '../../../../src/lab/http.ts';
import { openStages } from '../../../../src/lab/stages/lab-stages.ts';
import { pagesMount } from '../../../../src/pages/http.ts';
import type { Mount } from '../../../../src/service/http/mount.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';

const { url } = await makeService(await makeDatabase());
const at = (query: string) => `${url}/lab?${query}`;
const RACE = 'strategy=naive&view=race';
const start = (page: Page) => page.getByRole('button', { name: 'Race', exact: true }).click();
const totals = (page: Page) => page.getByRole('table', { name: 'All rounds' });
const chart = (page: Page, strategy: string) =>
  page.getByRole('region', { name: new RegExp(`^${strategy}, round`) });

browserTest('in a race of naive and row-lock, only naive oversells', async ({ open }) => {
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

browserTest('after a race, the maps show every order of both strategies', async ({ open }) => {
  const page = await open(at(RACE));
  await start(page);
  await page.getByRole('button', { name: 'Draw the maps' }).click();
  await page.getByRole('group', { name: '20 orders: 18 oversold, 2 hold' }).waitFor();
  await page.getByRole('group', { name: '8 orders: 8 hold' }).waitFor();
  await expectAccessibleLooks(page);
});

browserTest('each recruiter has a lane, and waits for a lock are hatched', async ({ open }) => {
  // On a busy machine the recruiters of a round may come one after another, and nobody waits.
  let isHatched = false;
  for (let attempt = 0; attempt < 4 && !isHatched; attempt++) {
    const page = await open(at(RACE));
    await start(page);
    await totals(page).waitFor();
    const rounds = await page.getByRole('button', { name: /^Round \d/ }).all();
    expect(rounds).toHaveLength(5);
    for (const round of rounds) {
      await round.click();
      if (await expectLanes(page)) isHatched = true;
    }
  }
  expect(isHatched).toBe(true);
});

/** Checks the lanes of the shown round. Returns whether a lane of `row-lock` is hatched. */
async function expectLanes(page: Page): Promise<boolean> {
  const lanesOf = (strategy: string) => chart(page, strategy).getByRole('listitem');
  for (const strategy of ['naive', 'row-lock']) expect(await lanesOf(strategy).count()).toBe(8);
  const hatch = 'rect[fill="url(#lock-wait)"]';
  expect(await chart(page, 'naive').locator(hatch).count()).toBe(0);
  expect(await page.locator('pattern#lock-wait').count()).toBe(1);
  const words = await chart(page, 'naive').locator('.word').allTextContents();
  expect(new Set(words.map((word) => word.trim()))).toEqual(new Set(['count', 'insert']));
  const lanes = await lanesOf('row-lock').all();
  const spoken = await Promise.all(
    lanes.map(async (lane) => ({
      text: await lane.innerText(),
      isHatched: (await lane.locator(hatch).count()) > 0,
    })),
  );
  for (const { text, isHatched } of spoken) {
    const [, waited] = /of which ([\d.]+) ms/.exec(text) ?? [];
    // A very short wait is read aloud as 0.0 ms.
    if (Number(waited) > 0) expect(isHatched, text).toBe(true);
  }
  expect(spoken.filter(({ text }) => text.includes('succeeded after'))).toHaveLength(4);
  const refused = spoken.filter(({ text }) => /was refused after [\d.]+ ms, of which/.test(text));
  expect(refused).toHaveLength(4);
  return spoken.some(({ isHatched }) => isHatched);
}

browserTest(
  'the axis shows its unit, and the text says how many recruiters can succeed',
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

browserTest('a person can look at each round, and read the round as text', async ({ open }) => {
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

browserTest('the address contains all settings of the race', async ({ open }) => {
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

browserTest('a race of more than 50 recruiters does not start', async ({ open }) => {
  const page = await open(at(`${RACE}&recruiters=51`));
  await start(page);
  const message = "document.querySelector('input:invalid').validationMessage";
  expect(await page.evaluate(message)).toMatch(/50/);
  expect(await page.locator('.chart').count()).toBe(0);
});

browserTest('a second race waits until a person leaves the first race', async ({ open }) => {
  const held = await makeHeldService();
  const first = await open(`${held.url}/lab?${RACE}&rounds=20`);
  const second = await open(`${held.url}/lab?${RACE}&rounds=1`);
  const begun = first.waitForResponse(`${held.url}/lab/rounds`);
  await start(first);
  await begun;
  await start(second);
  await second.getByText('You are number 1 in line.').waitFor();
  await first.getByRole('link', { name: 'Syllabus' }).click();
  held.release();
  await totals(second).waitFor();
});

/**
 * Makes a service whose races play no round before `release`. So on any machine, the first race
 * still runs when the test checks the page.
 */
async function makeHeldService() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const lab: Mount = {
    path: '/lab',
    open({ databaseUrl, log, stop }) {
      const stages = openStages(databaseUrl, log);
      const use = stages.rounds.use.bind(stages.rounds);
      stages.rounds.use = (work) => released.then(() => use(work));
      return { routes: () => createLab({ log, stages, stop }), close: () => stages.close() };
    },
  };
  const mounts = [pagesMount({ lab: true }), lab];
  const { url } = await makeService(await makeDatabase(), { mounts });
  return { url, release };
}

browserTest('the page Race is accessible, light and dark, wide and narrow', async ({ open }) => {
  const page = await open(at(`${RACE}&rounds=1`));
  await start(page);
  await totals(page).waitFor();
  await expectAccessibleLooks(page);
});
