import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { replay } from '../../../../src/explorer/explore.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible } from '../../../support/browser.ts';
import { trialOf } from '../../../support/claims-chapter.ts';
import { makeDatabase } from '../../../support/database.ts';
import { makeStage } from '../../../support/stage.ts';
import { as, WITH_SECRET } from '../../../support/tokens.ts';

const { url } = await makeService(await makeDatabase());
const stage = await makeStage();

const at = (query: string) => `${url}/lab?${query}`;
const lane = (page: Page, session: number) => page.getByRole('region', { name: `S${session}` });
const headline = (page: Page, text: string) => page.locator('.headline').getByText(text).waitFor();
const said = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).waitFor();
const press = async (page: Page, keys: string) => {
  await lane(page, 1).waitFor();
  for (const key of keys) await page.keyboard.press(key);
};
/** Returns the visible arrows, each as the positions of its beginning and its end. */
const arrows = (page: Page, kind: string) =>
  page
    .locator(`.waits:visible .${kind} line`)
    .evaluateAll((lines) =>
      lines.map((line) => `${line.getAttribute('x1')} to ${line.getAttribute('x2')}`),
    );

const tokenOf = async (role: string) => (await as(role, '7')).Authorization.replace('Bearer ', '');

browserTest('a person oversells the strategy naive by pressing keys', async ({ open }) => {
  const page = await open(at('strategy=naive'));
  await headline(page, 'Can you oversell it?');
  await press(page, '121212');
  await headline(page, 'Oversold! 5 claims, 4 slots');
  await headline(page, 'You did it in 6 steps.');
  await headline(page, 'With two recruiters: Of 20 schedules, 18 oversold.');
  await said(
    page,
    'Step 6. S2 runs commit: autocommit, since the statement stands alone. S2 is told: claimed. The end: oversold: 5 claims, 4 slots.',
  );
  expect(page.url()).toBe(at('strategy=naive&schedule=1,2,1,2,1,2'));
  await page.getByText('5 claims committed, 4 slots').waitFor();
  await page.getByText('3 from before, Recruiter 1, Recruiter 2').waitFor();
  await expectAccessible(page);
});

browserTest(
  'a person cannot oversell row-lock, sees who waits for whom, and can read the proof',
  async ({ open }) => {
    const page = await open(at('strategy=row-lock'), { colorScheme: 'dark' });
    await press(page, '12');
    await lane(page, 2).getByText('waits for S1 in:').waitFor();
    expect(await arrows(page, 'wait')).toEqual(['75% to 25%']);
    await page.getByRole('listitem').filter({ hasText: 'S1 job 1 FOR UPDATE' }).waitFor();
    await expectAccessible(page);
    await press(page, '2');
    await said(page, 'S2 cannot go on: it waits for S1.');
    await press(page, 'e');
    await headline(page, 'Not this time: 4 claims, 4 slots');
    await said(page, 'The end: 4 claims, 4 slots.');
    for (const ending of ['S1 claimed', 'S2 full']) await page.getByText(ending).waitFor();
    expect(await page.getByText('All 8 schedules hold.').isVisible()).toBe(false);
    await page.getByText('Can it be done at all?').click();
    await headline(page, 'With two recruiters: All 8 schedules hold.');
    await expectAccessible(page);
  },
);

browserTest(
  'a deadlock is shown as a circle of red arrows, and PostgreSQL stops one session',
  async ({ open }) => {
    const page = await open(at('strategy=insert-then-lock'));
    await headline(page, 'Can you make it deadlock?');
    await press(page, '1212');
    await said(page, 'Deadlock: S2 and S1 wait for one another, and PostgreSQL stops S2.');
    expect((await arrows(page, 'deadlock')).toSorted()).toEqual(['25% to 75%', '75% to 25%']);
    await lane(page, 2).getByText('stopped by PostgreSQL').waitFor();
    await page.getByText('READ COMMITTED, failed: only ROLLBACK is left').waitFor();
    await expectAccessible(page);
    await press(page, 'e');
    await headline(page, 'Deadlocked! 4 claims, 4 slots');
  },
);

browserTest(
  'a person undoes steps and begins anew, by mouse or by keyboard alone',
  async ({ open }) => {
    const page = await open(at('strategy=naive'));
    await page.getByRole('button', { name: 'Step S1' }).click();
    await page.getByRole('button', { name: 'Step S2' }).click();
    await page.getByRole('row').nth(2).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL(at('strategy=naive&schedule=1'));
    await page.getByRole('button', { name: 'Step S1' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(at('strategy=naive&schedule=1,1'));
    await said(page, 'S1 runs insert into job_claims: 1 row.');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Step S1');
    await press(page, 'u');
    await page.waitForURL(at('strategy=naive&schedule=1'));
    await press(page, 'r');
    await page.waitForURL(at('strategy=naive'));
    await said(page, 'Nobody has made a step yet.');
  },
);

browserTest('a person can turn the keys off, and keys do nothing in a menu', async ({ open }) => {
  const page = await open(at('strategy=naive'));
  await page.getByRole('combobox', { name: 'Strategy' }).focus();
  await press(page, '1');
  await page.getByRole('checkbox', { name: 'Keys' }).uncheck();
  await page.getByRole('heading', { name: 'The lab' }).click();
  await press(page, '1');
  await page.getByRole('checkbox', { name: 'Keys' }).check();
  await page.getByRole('heading', { name: 'The lab' }).click();
  await press(page, '2');
  await page.waitForURL(at('strategy=naive&schedule=2'));
});

browserTest('a person can let time pass while a session sleeps', async ({ open }) => {
  const page = await open(at('strategy=lease'));
  await press(page, '1122');
  await lane(page, 2).getByText('sleeps until time passes').waitFor();
  await page.getByRole('button', { name: 'Let time pass' }).click();
  await said(page, 'Step 5. Two days pass.');
  await lane(page, 2).getByText('would run next:').waitFor();
});

describe('a permalink', () => {
  const schedule = '1,1,1,2,1,2,2,2';

  browserTest(
    'shows the same schedule again, with the transcript of the command line',
    async ({ open }) => {
      const page = await open(at(`strategy=stale-snapshot&schedule=${schedule}`));
      await headline(page, 'Oversold! 5 claims, 4 slots');
      await page.getByText('Transcript', { exact: true }).click();
      const played = await replay(stage, trialOf('stale-snapshot'), schedule.split(','));
      const { transcript } = tell(played);
      const shown = page.getByRole('region', { name: 'Transcript as text' });
      expect(await shown.textContent()).toBe(transcript);
      await page.getByText(`npm run replay -- stale-snapshot ${schedule}`).waitFor();
    },
  );

  browserTest(
    'contains the situation and the number of sessions, and another choice begins anew',
    async ({ open }) => {
      const page = await open(at('strategy=row-lock&scenario=first-slot&schedule=3,1'));
      await page.getByText('0 claims committed, 1 slot').waitFor();
      await lane(page, 1).getByText('waits for S3 in:').waitFor();
      await page.getByRole('combobox', { name: 'Situation' }).selectOption('a slot for each');
      await page.getByText('2 claims committed, 4 slots').waitFor();
      expect(page.url()).toBe(at('strategy=row-lock&situation=two-slots&sessions=3'));
      await page.goBack();
      await lane(page, 1).getByText('waits for S3 in:').waitFor();
    },
  );

  browserTest('to an impossible schedule shows the reason and a way to go on', async ({ open }) => {
    const page = await open(at('strategy=row-lock&schedule=1,2,2'));
    await page.getByText('Step 3 of the schedule is 2. The choices there: 1.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Begin anew' }).click();
    await said(page, 'Nobody has made a step yet.');
  });
});

browserTest('a person can try again after the server was out of reach', async ({ open }) => {
  const page = await open(at('strategy=naive'));
  await press(page, '1');
  await said(page, 'Step 1.');
  await page.route('**/lab/plays', (route) => route.abort());
  await press(page, '2');
  await page.getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/lab/plays');
  await page.getByRole('button', { name: 'Try again' }).click();
  await said(page, 'Step 2.');
});

browserTest('the page asks for a token, and refuses the token of a recruiter', async ({ open }) => {
  const guarded = await makeService(await makeDatabase(), { auth: WITH_SECRET });
  const page = await open(`${guarded.url}/lab?strategy=naive`);
  const show = async (token: string) => {
    await page.getByRole('textbox', { name: 'Token' }).fill(token);
    await page.getByRole('button', { name: 'Show the lab' }).click();
  };
  await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
  await show(await tokenOf('recruiter'));
  await page.getByText('The lab cannot be shown: Your token does not allow this.').waitFor();
  await page.getByRole('button', { name: 'Show another token' }).click();
  await show(await tokenOf('admin'));
  await press(page, '1');
  await said(page, 'Step 1.');
});

browserTest('three lanes fit on a phone, with arrows in the margin', async ({ open }) => {
  const page = await open(at('strategy=row-lock&sessions=3'), { width: 360, height: 740 });
  await press(page, '123');
  await lane(page, 3).getByText('waits for S2 in:').waitFor();
  expect(await page.locator('.along-y:visible .wait line').count()).toBe(2);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await expectAccessible(page);
});
