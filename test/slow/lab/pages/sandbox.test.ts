import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';
import { DOCTORS } from '../../../support/doctors.ts';

const { url } = await makeService(await makeDatabase());
const AT = `${url}/lab?view=sandbox`;
const run = (page: Page) => page.getByRole('button', { name: 'Play every order' }).click();
const field = (page: Page, name: string) => page.getByRole('textbox', { name });
const result = (page: Page, text: string) => page.locator('.result').getByText(text).waitFor();
const step = (page: Page, text: string) =>
  page.getByRole('status').getByText(text, { exact: true }).waitFor();
const choose = (page: Page, title: string) =>
  page.getByLabel('Begin with').selectOption({ label: title });

browserTest('a person types SQL, and the sandbox finds write skew', async ({ open }) => {
  const page = await open(AT);
  const { tables, sessions, check } = DOCTORS.broken;
  await field(page, 'Tables').fill(tables);
  await field(page, 'Session 1').fill(sessions[0] ?? '');
  await field(page, 'Session 2').fill(sessions[1] ?? '');
  await field(page, 'Check').fill(check);
  await run(page);
  await result(page, 'Of 20 schedules, the check was false in 18.');
  await step(page, 'Step 6 of 6');
  expect(await page.getByRole('table').locator('tbody tr').count()).toBe(6);
  await page.getByText('the check is false, on_call 0', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await step(page, 'Step 5 of 6');
  await page.getByText('Transcript', { exact: true }).click();
  await page.getByText('the check is false, on_call 0: BROKEN').waitFor();
});

browserTest('a classic experiment shows its fault, and then its right answer', async ({ open }) => {
  const page = await open(AT);
  await choose(page, 'Write skew: doctors on call');
  await run(page);
  await result(page, 'Of 20 schedules, the check was false in 18.');
  await page.getByRole('button', { name: 'Show the right answer' }).click();
  expect(await page.locator('.result').count()).toBe(0);
  await page.getByText('SERIALIZABLE notices').waitFor();
  await run(page);
  await result(page, 'schedules hold.');
  await choose(page, 'Deadlock by order');
  await run(page);
  await result(page, 'sessions deadlocked in');
});

browserTest(
  'the map shows every order, and a tile shows the steps of its order',
  async ({ open }) => {
    const page = await open(AT);
    await choose(page, 'Write skew: doctors on call');
    await run(page);
    const map = page.getByRole('group', { name: '20 orders: 18 break the check, 2 hold' });
    await map.waitFor();
    await expectAccessibleLooks(page);
    await map.getByRole('button', { name: '1,1,1,2,2,2: holds' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The order 1,1,1,2,2,2' }).waitFor();
    await page.getByText('the check is true', { exact: false }).first().waitFor();
    await step(page, 'Step 6 of 6');
  },
);

browserTest('a link contains the whole experiment', async ({ open }) => {
  const page = await open(AT);
  await choose(page, 'Lost update');
  await page.getByRole('button', { name: 'Add a third session' }).click();
  const sql = `select 'a & b', '#', '100%' -- "ü"`;
  await field(page, 'Session 3').fill(sql);
  await page.waitForURL(/100%25/);
  const again = await open(page.url());
  await field(again, 'Session 3').waitFor();
  expect(await field(again, 'Session 3').inputValue()).toBe(sql);
  for (const label of ['Tables', 'Session 1', 'Session 2', 'Check'])
    expect(await field(again, label).inputValue()).toBe(await field(page, label).inputValue());
  expect(await again.getByLabel('Begin with').inputValue()).toBe('own');
  await again.getByRole('button', { name: 'Remove session 3' }).click();
  expect(await again.getByLabel('Begin with').inputValue()).toBe('lost-update');
});

browserTest('the page explains an error in the SQL that a person has typed', async ({ open }) => {
  const page = await open(AT);
  await field(page, 'Session 2').fill('select 1;\nset role postgres;');
  await run(page);
  await page.getByRole('alert').getByText('session 2, line 2: "set role" is not allowed').waitFor();
  await field(page, 'Session 2').fill('select * from nowhere;');
  await run(page);
  await page.getByRole('alert').getByText('relation "nowhere" does not exist').waitFor();
});

browserTest('the sandbox is accessible, light and dark, at each width', async ({ open }) => {
  const page = await open(AT);
  await choose(page, 'Read skew');
  await run(page);
  await page
    .getByRole('status')
    .getByText(/^Step (\d+) of \1$/)
    .waitFor();
  await expectAccessibleLooks(page, [360, 768, 1920]);
});
