import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { addressOf, allStrategies } from '../../../../src/lab/chapters/index.ts';
import { readLessons } from '../../../../src/lab/lessons/lesson.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';

const { url } = await makeService(await makeDatabase());
const lessons = readLessons();
const at = (number: number) => `${url}/lab?view=lessons&lesson=${number}`;
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

/** Predicts an answer and asks for the right answer, so that the whole lesson is shown. */
async function openWhole(page: Page) {
  await page.getByRole('radio', { name: /^A/ }).check();
  await page.getByRole('button', { name: 'This is my prediction' }).click();
  await page.getByRole('button', { name: 'Show the answer now' }).click();
  await heading(page, 'What you saw');
}

/** Returns the text without code, because code may contain the characters of Markdown. */
async function wordsOf(article: Locator): Promise<string> {
  const all = (await article.textContent()) ?? '';
  const code = await article.locator('code').allTextContents();
  return code.reduce((text, each) => text.replace(each, ''), all);
}

browserTest('all parts of every lesson can be shown, and no link is broken', async ({ open }) => {
  const page = await open(at(1));
  const links = new Set<string>();
  for (const { number, title } of lessons) {
    await heading(page, `${number}. ${title}`);
    await openWhole(page);
    const article = page.getByRole('article');
    expect(await wordsOf(article)).not.toMatch(/\*\*|`|\]\(|<!--|undefined/);
    // The commands are in a closed section, so their links have no role yet.
    const hrefs = await article
      .locator('a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const href of hrefs) links.add(href);
    if (number < lessons.length) await page.getByRole('link', { name: /^Next: / }).click();
  }
  expect(links.size).toBeGreaterThan(50);
  const known = allStrategies.flatMap((each) => [each.strategy.name, addressOf(each)]);
  for (const link of links) {
    expect((await fetch(new URL(link, `${url}/lab`))).status).toBe(200);
    const strategy = new URLSearchParams(link).get('strategy');
    if (strategy !== null) expect(known, link).toContain(strategy);
  }
});

browserTest('a lesson works in a browser without local storage', async ({ open }) => {
  const page = await open(`${url}/lab`);
  await page.addInitScript(
    `Object.defineProperty(window, 'localStorage', { get() { throw new Error('no storage'); } })`,
  );
  await page.goto(at(16));
  await openWhole(page);
  await page.getByText('You predicted A. The answer is B.').waitFor();
});

browserTest('a lesson opens even if somebody has changed the local storage', async ({ open }) => {
  const page = await open(`${url}/lab`);
  for (const kept of ['no json', '7', '{"predictions":{"2":7},"ends":[],"done":"x"}']) {
    await page.evaluate(`localStorage.setItem('rowlock.lessons', ${JSON.stringify(kept)})`);
    await page.goto(at(2));
    await page.getByRole('button', { name: 'This is my prediction' }).waitFor();
  }
  await page.goto(at(99));
  await page.getByRole('alert').getByText('There is no lesson 99.').waitFor();
});

browserTest('only a page in a classroom reports each step of a lesson', async ({ open }) => {
  const page = await open(at(1));
  const reports: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/lab/classroom/progress')) reports.push(request.postDataJSON());
  });
  await openWhole(page);
  await page.evaluate("document.documentElement.setAttribute('data-classroom', '')");
  await page.getByRole('link', { name: /^Next: 2/ }).click();
  await heading(page, '2. You are the scheduler');
  await openWhole(page);
  await page.getByRole('link', { name: /^Next: 3/ }).click();
  await heading(page, '3. Add a transaction');
  await expect
    .poll(() => reports)
    .toEqual([
      { lesson: 1, step: 'done', prediction: 'A' },
      { lesson: 2, step: 'predict' },
      { lesson: 2, step: 'do', prediction: 'A' },
      { lesson: 2, step: 'understand', prediction: 'A' },
      { lesson: 2, step: 'done', prediction: 'A' },
      { lesson: 3, step: 'predict' },
    ]);
});

for (const [colorScheme, width] of [
  ['light', 1920],
  ['dark', 360],
] as const)
  browserTest(`the lessons are accessible, ${colorScheme}, ${width} px`, async ({ open }) => {
    const page = await open(`${url}/lab`, { colorScheme, width });
    await page.getByRole('link', { name: 'Begin with lesson 1' }).waitFor();
    await expectAccessible(page);
    await page.goto(at(7));
    await page.getByRole('radio').first().waitFor();
    await expectAccessible(page);
    await openWhole(page);
    await page.getByText('With a file of your own').click();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
