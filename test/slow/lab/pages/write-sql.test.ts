import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';
import { lessonsWithScript, scriptFile } from '../../../support/scripts.ts';

const { url } = await makeService(await makeDatabase());
const at = (number: number) => `${url}/lab?view=lessons&lesson=${number}`;
/** A trial takes seconds on an idle machine, and longer beside other tests. */
const LONG_MS = 120_000;
const PHONE = { width: 390, height: 844 };

/** Opens the part of a lesson in which the visitor writes. */
async function openDo(page: Page) {
  await page.getByRole('radio').first().check();
  await page.getByRole('button', { name: 'This is my prediction' }).click();
  await editor(page).waitFor();
}

const loaded = (page: Page) => page.locator('.cm-content').waitFor();

const editor = (page: Page) => page.getByRole('textbox', { name: /^SQL of lesson/ });
const verdict = (page: Page, words: string) =>
  page.locator('.result').filter({ hasText: words }).waitFor({ timeout: LONG_MS });

/** Replaces the whole script by the keyboard. */
async function write(page: Page, text: string) {
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const [, lock] = lessonsWithScript;

browserTest(
  'a person writes the lock in the browser, and sees every order',
  async ({ open }) => {
    const page = await open(at(4));
    await openDo(page);
    await editor(page).focus();
    await page.keyboard.press('ControlOrMeta+s');
    await verdict(page, 'It oversells.');
    const map = page.getByRole('heading', { name: 'All orders, when one slot is left' });
    await map.waitFor({ timeout: LONG_MS });
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Open in Play' }).click();
    await page.getByText('Oversold! 5 claims, 4 slots').waitFor({ timeout: LONG_MS });
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.getByRole('button', { name: /^Step S1/ }).waitFor();
    await page.getByRole('link', { name: 'Back to the lesson' }).click();

    await editor(page).waitFor();
    await write(page, scriptFile(lock as (typeof lessonsWithScript)[number], 'solution'));
    await page.getByRole('button', { name: 'Play every order' }).click();
    await verdict(page, 'It holds in all');
    await page.getByText('You have reached the goal.').waitFor();
    await page.getByRole('heading', { name: 'What you saw' }).waitFor();
    await expectAccessible(page);

    // The script is still there after the page was loaded anew.
    await page.reload();
    await editor(page).waitFor();
    expect(await editor(page).innerText()).toContain('for update');
    await page.getByRole('button', { name: 'Back to the beginning' }).click();
    await expect.poll(() => editor(page).innerText()).not.toContain('for update');
  },
  600_000,
);

browserTest('a mistake gets one line, and the script stays', async ({ open }) => {
  const page = await open(at(4));
  await openDo(page);
  await write(page, 'begin;\nselect capacity from job where id = :job;');
  await page.keyboard.press('ControlOrMeta+s');
  await verdict(page, 'script, line 2: relation "job" does not exist');
  await write(page, 'drop table jobs');
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByText('script, line 1: "drop table" is not allowed here.').waitFor();
  expect(await editor(page).innerText()).toContain('drop table jobs');
});

browserTest('the editor works on a phone, and Tab leaves it', async ({ open }) => {
  const page = await open(at(11), { ...PHONE, colorScheme: 'dark' });
  await openDo(page);
  await editor(page).focus();
  await loaded(page);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(PHONE.width);
  await editor(page).focus();
  await page.keyboard.press('Tab');
  await expect
    .poll(() => page.evaluate('document.activeElement.textContent'))
    .toBe('Names, commands and the answer');
  await page.getByText('Names, commands and the answer').click();
  await page.getByText('Sends the mail of this task.').waitFor();
  await expectAccessible(page);
});

browserTest('a plain field works if the editor cannot be loaded', async ({ open }) => {
  const page = await open(at(1));
  // A proxy may answer with something that is no script.
  await page.route('**/web/code-editor-*', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'export {}' }),
  );
  await page.goto(at(4));
  await openDo(page);
  await page.getByRole('textbox').press('ControlOrMeta+s');
  await verdict(page, 'It oversells.');
});
