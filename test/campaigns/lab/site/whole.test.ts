import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, inject, test } from 'vitest';
import { addressOf, allStrategies } from '../../../../src/lab/chapters/index.ts';
import { type Lesson, readLessons } from '../../../../src/lab/lessons/lesson.ts';
import { browserTest } from '../../../support/browser.ts';
import { makeTmpDir, run } from '../../../support/command.ts';
import { serveFiles } from '../../../support/file-server.ts';
import { reachGoal } from '../../../support/lesson-goal.ts';

const folder = path.join(makeTmpDir(), 'site');
const build = (...args: string[]) =>
  run('scripts/build-site.ts', ['--out', folder, ...args], { DATABASE_URL: inject('scratchUrl') });

const MOST_MS = 3_600_000;
const stores = ['redis' as const, 'etcd' as const];

// The other tests need the site.
test('every strategy is recorded', { tags: stores, timeout: MOST_MS }, async () => {
  const made = build();
  expect((await made.ended).code, made.stderr()).toBe(0);
  expect(made.stdout()).toContain(`${allStrategies.length} strategies`);
});

const filesBelow = (place: string) =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => path.join(each.parentPath, each.name));

/** The bytes of a file as a server sends it. */
const compressed = (file: string) => gzipSync(readFileSync(file)).length;

test('the whole site takes less than 5 MB', () => {
  const bytes = filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(5e6);
});

test('each page with its data takes less than 300 kB, compressed', () => {
  const files = filesBelow(folder);
  const sizes = (matching: RegExp) => files.filter((file) => matching.test(file)).map(compressed);
  const shared = [...sizes(/lab\.html$|\/web\/(site|icon)|beginning\.js$/)];
  const largest = Math.max(...sizes(/data-\w+\/(?!beginning)/));
  const page = shared.reduce((sum, bytes) => sum + bytes, largest);
  expect(page).toBeLessThan(300e3);
});

test('200 random schedules are as a real PostgreSQL plays them', {
  tags: stores,
  timeout: MOST_MS,
}, async () => {
  const checked = build('--check');
  expect((await checked.ended).code, checked.stdout() + checked.stderr()).toBe(0);
});

const places = [
  { where: 'from the disk', at: async () => pathToFileURL(`${folder}/`).href },
  { where: 'from a server of files', at: () => serveFiles(folder) },
];

type Open = (url: string) => Promise<Page>;

/** Goes through a lesson that needs a server, up to its answer. */
async function readAnswer(lab: string, open: Open, { number }: Lesson) {
  const page = await open(`${lab}?view=lessons&lesson=${number}`);
  await page.getByRole('radio').first().check();
  await page.getByRole('button', { name: 'This is my prediction' }).click();
  await page.getByRole('link', { name: /with everything set/ }).click();
  await page.getByText('Race needs a server.').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Show the answer now' }).click();
  await page.getByRole('heading', { name: 'What you saw' }).waitFor();
}

describe.each(places)('a site $where, offline', ({ at }) => {
  browserTest.for(readLessons())('lesson $number', async (lesson, { open }) => {
    const lab = `${await at()}lab.html`;
    const isRace = lesson.inBrowser.setting.page === 'race';
    await (isRace ? readAnswer : reachGoal)(lab, open, lesson);
  });

  browserTest('every strategy shows its source, and begins in Play', async ({ open }) => {
    const lab = `${await at()}lab.html`;
    const page = await open(`${lab}?view=syllabus`);
    for (const each of allStrategies) {
      await page.goto(`${lab}?view=syllabus&strategy=${addressOf(each)}`);
      await page.locator('.source').first().waitFor();
      await page.goto(`${lab}?strategy=${addressOf(each)}`);
      await page.getByRole('heading', { name: 'The database now' }).waitFor();
    }
  });
});
