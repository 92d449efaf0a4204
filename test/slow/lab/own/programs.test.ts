import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Own } from '../../../../src/lab/own/own.ts';
import type { PlayState } from '../../../../src/lab/play/play.ts';
import type { SyllabusEntry } from '../../../../src/lab/syllabus/syllabus.ts';
import { inProject } from '../../../../src/process/project.ts';
import { until } from '../../../../src/waiting/until.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessibleLooks } from '../../../support/browser.ts';
import { isRunning, makeDataDir, makeTmpDir, runServer } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { languages } from '../../../support/languages.ts';
import { linesOfKind, partsOf } from '../../../support/npm-scripts.ts';
import { pageOf } from '../../../support/pages.ts';
import { urlOf } from '../../../support/server.ts';

const fixture = (name: string) => inProject(path.join('test/lab/programs/functions', name));
const NAIVE = fixture('naive.mjs');
const YOURS = 'claims/yours';
const OVERSOLD = ['1', '2', '1', '2', '1', '2'];
const PATIENCE = { timeout: 60_000, interval: 50 };

const SCHEMA = `
  create table jobs (id int primary key, capacity int);
  create table job_claims (
    job_id int references jobs (id), recruiter_id int, primary key (job_id, recruiter_id)
  );
  insert into jobs values (1, 1);`;
const INVARIANT = 'select job_id from job_claims group by job_id having count(*) > 1';

/** A service that shows this program, and requests to it. */
async function show(program: Extract<Own, { program: unknown }>['program']) {
  const own = { program, chapter: 'claims' };
  const { url, stop } = await makeService(await makeDatabase(), { own });
  return { url, stop, ...asking(url) };
}

/** The same, until the end of this test. Many programs at once would load the machine. */
async function showHere(program: Parameters<typeof show>[0]) {
  const lab = await show(program);
  onTestFinished(() => lab.stop());
  return lab;
}

function asking(url: string) {
  const get = async (address: string) => (await fetch(`${url}/lab/${address}`)).text();
  const send = (address: string, body: unknown) =>
    fetch(`${url}/lab/${address}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const play = async (schedule: string[], strategy = YOURS) => {
    const answer = await send('plays', { strategy, schedule });
    const body = (await answer.json()) as Partial<PlayState> & { detail?: string };
    return { status: answer.status, ...body };
  };
  const entry = async () => (JSON.parse(await get('strategies')) as SyllabusEntry[]).at(-1);
  return { get, send, play, entry };
}

/** A file with this text. */
function fileWith(name: string, text: string): string {
  const file = path.join(makeTmpDir(), name);
  writeFileSync(file, text);
  return file;
}

/** A command that runs this code of Node.js, and the ids of the processes that it has started. */
function command(code: string) {
  const pids = fileWith('pids', '');
  const file = fileWith('program.cjs', code);
  return {
    server: `echo $$ >> ${pids}; exec node ${file}`,
    pids: () => readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number),
  };
}

const SILENT = `require('node:http').createServer(() => {}).listen(process.env.PORT, '127.0.0.1');`;

const allEnd = (pids: number[]) =>
  until(() => !pids.some(isRunning), { everyMs: 20, withinMs: 10_000 });

describe('a function that counts and then inserts', () => {
  let lab: Awaited<ReturnType<typeof show>>;
  let file: string;
  beforeAll(async () => {
    const folder = makeTmpDir();
    file = path.join(folder, 'mine.mjs');
    copyFileSync(NAIVE, file);
    symlinkSync(inProject('node_modules'), path.join(folder, 'node_modules'));
    lab = await show({ module: file });
  });

  test('is in Play, Explore and Syllabus', async () => {
    await expect.poll(lab.entry, PATIENCE).toMatchObject({ name: 'yours', missing: null });
    expect((await lab.play(OVERSOLD)).verdict).toBe('oversold: 5 claims, 4 slots');
    expect(await lab.get(`explorations?strategy=${YOURS}`)).toMatch(/"faults":\{"oversold":18\}/);
    expect(await lab.get(`strategies/${YOURS}`)).toContain('insert into job_claims');
    expect(await lab.get('strategies/yours')).toMatch(/"idea":"The program \S+mine\.mjs"/);
  });

  test('has three recruiters too', async () => {
    const answer = await lab.send('plays', { strategy: YOURS, sessions: 3, schedule: ['3'] });
    expect((await answer.json()) as PlayState).toMatchObject({
      sessions: [{ status: 'ready' }, { status: 'ready' }, { status: 'ready' }],
    });
  });

  test('has no race in the browser, and the answer says where it races', async () => {
    for (const address of ['rounds', 'races']) {
      const answer = await lab.send(address, { strategy: YOURS, strategies: [YOURS] });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('npm run race-demo races a program.');
    }
  });

  test('is played anew after a save', async () => {
    const text = readFileSync(NAIVE, 'utf8');
    writeFileSync(file, 'export default 1;');
    const line = /exit code 1: TypeError: The module exports no function/;
    await expect.poll(lab.entry, PATIENCE).toMatchObject({ missing: expect.stringMatching(line) });
    expect(await lab.play(['1'])).toMatchObject({
      status: 400,
      detail: expect.stringMatching(line),
    });
    writeFileSync(file, text);
    await expect.poll(lab.entry, PATIENCE).toMatchObject({ missing: null });
    expect((await lab.play(['1'])).status).toBe(200);
  });
});

test('a program on tables of its own has the invariant, its rows and its locks', async () => {
  const schema = fileWith('schema.sql', SCHEMA);
  const lab = await showHere({ module: NAIVE, schema, invariant: INVARIANT });
  const play = (schedule: string[]) => lab.play(schedule, 'schema/yours');
  await expect.poll(lab.entry, PATIENCE).toMatchObject({ chapter: 'schema', missing: null });
  expect(await play(['1', '2', '1'])).toMatchObject({
    committed: {
      summary: 'the invariant is true',
      detail: 'Rows: jobs: 1, job_claims: 0',
      isWrong: false,
    },
    locks: { held: [{ session: 1, kind: 'row', what: 'jobs 1', mode: 'FOR KEY SHARE' }] },
  });
  expect(await play(OVERSOLD)).toMatchObject({
    verdict: 'violated: the invariant returns job_id 1',
    committed: { isWrong: true },
  });
  expect(await lab.get('explorations?strategy=schema/yours')).toContain('"violated":18');
  expect(await lab.get('chapters')).toContain('"dare":"Can you break the invariant?"');
});

describe('the server outlives a program', () => {
  /** Other strategies answer, and so does the next game of the program. */
  async function expectLife({ url, play }: Awaited<ReturnType<typeof show>>) {
    expect((await play(['1'], 'claims/row-lock')).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }

  test('that dies in the middle of a game', async () => {
    const lab = await showHere({ module: fixture('dies-when-full.mjs') });
    const played = await lab.play(['1', '1', '1', '2']);
    expect(played).toMatchObject({
      verdict: expect.stringMatching(/^error: /),
      failure: expect.stringMatching(/^The program \S+ ended with exit code 7$/),
    });
    expect((await lab.play(OVERSOLD)).verdict).toBe('oversold: 5 claims, 4 slots');
    await expectLife(lab);
  });

  test('that never answers in the middle of a game', async () => {
    const lab = await showHere({ module: fixture('silent-when-full.mjs') });
    expect((await lab.play(['1', '1', '1', '2'])).verdict).toBe('hang: S2 never ended');
    expect((await lab.play(OVERSOLD)).verdict).toBe('oversold: 5 claims, 4 slots');
    await expectLife(lab);
  });

  test('that waits for ever for the other session', async () => {
    const lab = await showHere({ module: fixture('hangs.mjs') });
    expect((await lab.play(['1', '2'])).verdict).toMatch(/^hang: /);
    expect((await lab.play(['1'])).status).toBe(200);
    await expectLife(lab);
  });

  test.each([
    [
      'that never answers',
      SILENT,
      /^Alone on its database: The program gave no answer within 8 s$/,
    ],
    ['that ends at once', 'process.exit(3)', /^The program ".+" ended with exit code 3$/],
    [
      'that fails',
      SILENT.replace('() => {}', "(_, answer) => answer.writeHead(500).end('no table')"),
      /^Alone on its database: The program answered 500 no table$/,
    ],
  ])('%s', async (_, code, line) => {
    const { server, pids } = command(code);
    const lab = await showHere({ server });
    expect(await lab.play(['1'])).toMatchObject({
      status: 400,
      detail: expect.stringMatching(line),
    });
    expect(await allEnd(pids())).toBe(true);
    await expectLife(lab);
  });
});

describe('no copy of the program remains', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('after %s', async (signal) => {
    const { server, pids } = command(
      SILENT.replace('() => {}', "(_, answer) => answer.writeHead(403).end('full')"),
    );
    // A killed server leaves a database behind, unless the PostgreSQL is its own.
    const place: Record<string, string> =
      signal === 'SIGKILL'
        ? { DATA_DIR: makeDataDir() }
        : { DATABASE_URL: inject('scratchUrl'), LAB: 'on' };
    const started = runServer({ ...place, WORKERS: '0' }, ['--server', server]);
    const url = await urlOf(started);
    expect((await asking(url).play(['1'])).status).toBe(200);
    expect(pids()).toHaveLength(3);
    started.child.kill(signal);
    await started.ended;
    expect(await allEnd(pids())).toBe(true);
  });
});

const python = languages.find(({ title }) => title === 'Python');
test.runIf(python)('the command of the page shows the example in Python', async () => {
  const line = linesOfKind('npm', [pageOf('docs/any-language.md')]).find((each) =>
    each.startsWith('npm start'),
  );
  const { args } = partsOf(line ?? '');
  expect(args).toEqual(['--server', `python3 ${python?.file}`]);
  const server = runServer({ DATABASE_URL: inject('scratchUrl'), LAB: 'on' }, [
    ...['--server', python?.commandOf(python.file) ?? ''],
  ]);
  const [, address = ''] = await server.says(/^Your program: .+, at (\S+)$/m);
  expect(new URL(address).search).toBe(`?strategy=${YOURS}`);
  const { play } = asking(new URL(address).origin);
  expect(await play(['1', '2'])).toMatchObject({
    sessions: [{ status: 'ready' }, { status: 'waiting', waitsFor: [1] }],
    locks: { held: [{ session: 1, what: 'job 1', mode: 'FOR UPDATE' }] },
  });
  server.child.kill('SIGINT');
  await server.ended;
});

describe('in the browser', () => {
  const headline = (page: Page, text: string) =>
    page.locator('.headline').getByText(text).waitFor();
  const press = async (page: Page, keys: string) => {
    await page
      .getByRole('region', { name: 'S1' })
      .getByText(/^select capacity/)
      .waitFor();
    for (const key of keys) await page.keyboard.press(key);
  };
  browserTest('a person plays a program, and sees why it gave no answer', async ({ open }) => {
    const module = fixture('dies-when-full.mjs');
    const { url } = await showHere({ module });
    const page = await open(`${url}/lab?strategy=${YOURS}`);
    await headline(page, 'Can you oversell it?');
    await press(page, '121212');
    await headline(page, 'Oversold! 5 claims, 4 slots');
    await expectAccessibleLooks(page);
    await page.keyboard.press('r');
    await press(page, '1112');
    await page.getByRole('alert').getByText('ended with exit code 7').waitFor();
    await page.getByText('Transcript', { exact: true }).click();
    await page.getByText(`npm run replay -- --module ${module} 1,1,1,2`).waitFor();
    await expectAccessibleLooks(page);
    await page.goto(`${url}/lab?view=race&strategy=${YOURS}`);
    await page.getByRole('button', { name: /Race/ }).first().click();
    await page.getByText('npm run race-demo races a program.').waitFor();
  });

  browserTest('a person breaks the invariant of tables of the person', async ({ open }) => {
    const schema = fileWith('schema.sql', SCHEMA);
    const { url } = await showHere({ module: NAIVE, schema, invariant: INVARIANT });
    const page = await open(`${url}/lab?strategy=schema/yours`);
    await headline(page, 'Can you break the invariant?');
    await press(page, '121');
    await page.getByRole('listitem').filter({ hasText: 'S1 jobs 1 FOR KEY SHARE' }).waitFor();
    for (const key of '212') await page.keyboard.press(key);
    await headline(page, 'Broke the invariant!');
    await page.getByText('Rows: jobs: 1, job_claims: 2').waitFor();
    await expectAccessibleLooks(page);
  });

  browserTest('the page says why a program does not start', async ({ open }) => {
    const { server } = command('process.exit(3)');
    const { url } = await showHere({ server });
    const page = await open(`${url}/lab?strategy=${YOURS}`);
    await page.getByRole('alert').getByText('ended with exit code 3').waitFor();
    await expectAccessibleLooks(page);
  });
});
