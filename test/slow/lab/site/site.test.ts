import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { readLessons } from '../../../../src/lab/lessons/lesson.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { browserTest, expectAccessible, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeTmpDir, run } from '../../../support/command.ts';
import { serveFiles } from '../../../support/file-server.ts';
import { reachGoal } from '../../../support/lesson-goal.ts';

const folder = path.join(makeTmpDir(), 'site');
const build = (...args: string[]) =>
  run('scripts/build-site.ts', args, { DATABASE_URL: inject('scratchUrl') });
const RECORDED = ['naive', 'transaction', 'row-lock', 'fenced-lease'];
const URL_OF_SITE = 'https://example.com/rowlock';
const REPOSITORY = 'https://example.com/rowlock.git';

beforeAll(async () => {
  const strategies = RECORDED.flatMap((name) => ['--strategy', `claims/${name}`]);
  const made = build(
    '--out',
    folder,
    '--url',
    URL_OF_SITE,
    '--repository',
    REPOSITORY,
    ...strategies,
  );
  expect((await made.ended).code, made.stderr()).toBe(0);
  expect(made.stdout()).toMatch(/site: 4 strategies, 30 files, 0\.\d MB\n$/);
});

const fromDisk = pathToFileURL(`${folder}/`).href;
const places = [
  { where: 'from the disk', at: async () => fromDisk },
  { where: 'from a server of files', at: () => serveFiles(folder) },
];

const press = async (page: Page, keys: string) => {
  await page.getByRole('region', { name: 'S1' }).waitFor();
  for (const key of keys) await page.keyboard.press(key);
};

describe.each(places)('a site $where', ({ at }) => {
  browserTest('tells the story, and its maps lead to the lab', async ({ open }) => {
    const page = await open(`${await at()}index.html`);
    await page
      .getByRole('heading', { name: 'Fifty press the button. Four get the job.' })
      .waitFor();
    await page.getByText('SELECT capacity FROM jobs WHERE id = 1 FOR UPDATE;').waitFor();
    await expectAccessibleLooks(page);
    await page.getByRole('link', { name: '20 orders of transaction. 18 oversold.' }).click();
    await page.getByText('Of 20 schedules, 18 oversold.').first().waitFor();
    await page.getByRole('button', { name: 'Draw the map' }).click();
    await page.locator('.order-map [data-order]').last().click();
    await page.getByRole('region', { name: 'Steps so far' }).waitFor();
    expect(new URL(page.url()).searchParams.get('schedule')).toBe('2,2,2,1,1');
  });

  browserTest('plays a recorded game step by step, and back', async ({ open }) => {
    const page = await open(`${await at()}lab.html?strategy=claims/row-lock`);
    await press(page, '12');
    await page.getByText('S1 job 1 FOR UPDATE').waitFor();
    await page.getByText('waits for S1').first().waitFor();
    await expectAccessible(page);
    await press(page, '2');
    await page.getByText('S2 cannot go on: it waits for S1.').waitFor();
    await press(page, 'u1e');
    await page.getByText('Not this time: 4 claims, 4 slots').waitFor();
    await page.getByText('Transcript', { exact: true }).click();
    await page.getByText('npm run replay -- claims/row-lock 1,1,1,').waitFor();
    await page.reload();
    await page.getByText('Not this time: 4 claims, 4 slots').waitFor();
  });

  browserTest('says what needs a server, and how to start one', async ({ open }) => {
    const site = await at();
    const page = await open(`${site}lab.html?view=race&strategy=claims/naive`);
    await page.getByText('Race needs a server.').waitFor();
    await page.getByText(`git clone ${REPOSITORY} rowlock && cd rowlock && npm ci`).waitFor();
    expect(await page.getByRole('link', { name: 'the same place' }).getAttribute('href')).toBe(
      'http://localhost:3000/lab?strategy=claims/naive&view=race',
    );
    await expectAccessibleLooks(page);
    await page.getByRole('link', { name: 'Sandbox' }).click();
    await page.getByText('Sandbox needs a server.').waitFor();
    await page.goto(`${site}lab.html?view=explore&strategy=claims/fenced-lease&step=1`);
    await page.getByRole('button', { name: 'Draw the map' }).click();
    await page.getByText('This map needs a server.').waitFor();
    await page.goto(`${site}lab.html?strategy=claims/lease`);
    await page
      .getByText('claims/lease is not recorded. This site has no recording of it.')
      .waitFor();
    await page.goto(`${site}lab.html?strategy=claims/row-lock&schedule=1,2,2`);
    await page.getByText('Step 3 of the schedule is 2. This step is not possible there.').waitFor();
  });
});

browserTest(
  'the address of a lesson leads to the lesson, and its goal can be reached',
  async ({ open }) => {
    const page = await open(`${fromDisk}lesson-4.html`);
    await page.getByRole('heading', { name: '4. The lock' }).waitFor();
    const [lesson] = readLessons().filter(({ number }) => number === 4);
    if (!lesson) throw new Error('there is no lesson 4');
    await reachGoal(`${fromDisk}lab.html`, open, lesson);
  },
);

browserTest('lessons with an editor or a race name the server, and go on', async ({ open }) => {
  const page = await open(`${fromDisk}lab.html?view=lessons&lesson=1`);
  for (const number of [1, 2, 3]) {
    await page.getByRole('heading', { name: new RegExp(`^${number}\\. `) }).waitFor();
    await page.getByRole('radio').first().check();
    await page.getByRole('button', { name: 'This is my prediction' }).click();
    if (number === 3) await page.getByText('The editor of this lesson needs a server.').waitFor();
    await page.getByRole('button', { name: 'Show the answer now' }).click();
    await page.getByRole('heading', { name: 'What you saw' }).waitFor();
    expect(await page.getByRole('article').textContent()).not.toContain('<!--');
    await page.getByRole('link', { name: /^Next: / }).click();
  }
});

test('every page has words and a picture for link previews', () => {
  const page = readFileSync(path.join(folder, 'lesson-4.html'), 'utf8');
  expect(page).toContain('<meta property="og:title" content="Lesson 4: The lock"/>');
  expect(page).toContain(`<meta property="og:image" content="${URL_OF_SITE}/preview.png"/>`);
  expect(page).toContain('content="0; url=./lab.html?view=lessons&amp;lesson=4"');
});

test('no file of a site begins an address with a slash', () => {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.html')))
    expect(readFileSync(path.join(folder, name), 'utf8'), name).not.toMatch(/(src|href)="\//);
});

describe('build:site --check', () => {
  test('plays recordings again, and finds a recording that is wrong', async () => {
    const right = build('--check', '--out', folder);
    expect((await right.ended).code, right.stdout() + right.stderr()).toBe(0);
    expect(right.stdout()).toBe('200 random schedules are as recorded.\n');

    const data = readdirSync(folder).find((name) => name.startsWith('data-')) ?? '';
    const fileOf = (name: string) => path.join(folder, data, `claims-${name}.js`);
    const recorded = readFileSync(fileOf('naive'), 'utf8');
    const other = readFileSync(fileOf('transaction'), 'utf8');
    writeFileSync(fileOf('naive'), other.replace('claims-transaction', 'claims-naive'));
    const wrong = build('--check', '--out', folder);
    expect((await wrong.ended).code).toBe(1);
    expect(wrong.stdout()).toMatch(
      /^The recording is not the recording of this code: npm run replay -- claims\/naive [\d,]+ --situation [\w-]+\n$/,
    );

    writeFileSync(fileOf('naive'), recorded.slice(0, -100));
    const damaged = build('--check', '--out', folder);
    expect((await damaged.ended).code).toBe(2);
    expect(damaged.stderr()).toBe(`${fileOf('naive')} is damaged. Run npm run build:site.\n`);
    writeFileSync(fileOf('naive'), recorded);
  });

  test.each([
    [
      ['--check', '--out', '/nowhere/at/all'],
      '/nowhere/at/all is no site. Run npm run build:site.',
    ],
    [['--url', 'rowlock.example'], '--url needs an address with http:// or https://'],
    [['--strategy', 'claims/no-such'], 'There is no strategy "claims/no-such".'],
    [['--out', inProject('README.md')], 'Cannot write the site: EEXIST: file already exists'],
    [['extra'], "Unexpected argument 'extra'."],
  ])('%j gets one clear line', async (args, words) => {
    const made = build(...args);
    expect((await made.ended).code).toBe(2);
    expect(made.stderr()).toContain(words);
    expect(made.stdout()).toBe('');
  });

  test('a folder with other files is left alone', async () => {
    const other = makeTmpDir();
    mkdirSync(path.join(other, 'thesis'));
    const made = build('--out', other, '--strategy', 'claims/naive');
    expect((await made.ended).code).toBe(2);
    expect(made.stderr()).toContain(
      `${other} has other files, such as thesis. Choose another folder.`,
    );
    expect(readdirSync(other)).toEqual(['thesis']);
  });
});
