import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { inFolder } from '../../../../src/lab/judge/place.ts';
import type { PlayState } from '../../../../src/lab/play/play.ts';
import { programOf } from '../../../../src/platform/process/build.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { browserTest, expectAccessibleLooks } from '../../../support/browser.ts';
import { makeTmpDir, start } from '../../../support/command.ts';
import {
  asking,
  expectLife,
  expectNoCopy,
  fileWith,
  fixture,
  headline,
  INVARIANT,
  NAIVE,
  OVERSOLD,
  PATIENCE,
  press,
  SCHEMA,
  SILENT,
  show,
  showHere,
  YOURS,
} from '../../../support/own-programs.ts';
import { urlOf } from '../../../support/server.ts';

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

  test('appears in Play, Explore and Syllabus', async () => {
    await expect.poll(lab.entry, PATIENCE).toMatchObject({ name: 'yours', missing: null });
    expect((await lab.play(OVERSOLD)).verdict).toBe('oversold: 5 claims, 4 slots');
    expect(await lab.get(`explorations?strategy=${YOURS}`)).toMatch(/"faults":\{"oversold":18\}/);
    expect(await lab.get(`strategies/${YOURS}`)).toContain('insert into job_claims');
    expect(await lab.get('strategies/yours')).toMatch(/"idea":"The program \S+mine\.mjs"/);
  });

  test('can be played with three recruiters', async () => {
    const answer = await lab.send('plays', { strategy: YOURS, sessions: 3, schedule: ['3'] });
    expect((await answer.json()) as PlayState).toMatchObject({
      sessions: [{ status: 'ready' }, { status: 'ready' }, { status: 'ready' }],
    });
  });

  test('cannot race in the browser, and the answer names the command for a race', async () => {
    for (const address of ['rounds', 'races']) {
      const answer = await lab.send(address, { strategy: YOURS, strategies: [YOURS] });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('npm run race-demo races a program.');
    }
  });

  test('is loaded again after each save', async () => {
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

describe('a relative path of an option begins in', () => {
  const folder = makeTmpDir();
  copyFileSync(NAIVE, path.join(folder, 'mine.mjs'));
  copyFileSync(inProject('test/lab/judge/judged/wrong-naive.ts'), path.join(folder, 'mine.ts'));
  symlinkSync(inProject('node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'schema.sql'), SCHEMA);
  const code = SILENT.replace('() => {}', "(_, answer) => answer.writeHead(403).end('full')");
  writeFileSync(path.join(folder, 'mine.cjs'), code);

  const inFolderAlone = { cwd: folder, env: {} };
  const byNpm = { cwd: inProject('.'), env: { INIT_CWD: folder } };
  const ownTables = ['--module', 'mine.mjs', '--schema', 'schema.sql', '--invariant', INVARIANT];
  test.each([
    ['the folder where the server started: --strategy', ['--strategy', 'mine.ts'], inFolderAlone],
    ['the folder where the server started: --server', ['--server', 'node mine.cjs'], inFolderAlone],
    ['the folder where the server started: --module and --schema', ownTables, inFolderAlone],
    ['the folder in which a person called npm', ['--strategy', 'mine.ts'], byNpm],
  ])('%s', async (_, args, { cwd, env }) => {
    const server = start(
      process.execPath,
      [...programOf(inject('serverProgram')), ...args],
      { PORT: '0', WORKERS: '0', LAB: 'on', DATABASE_URL: inject('scratchUrl'), ...env },
      cwd,
    );
    const { entry } = asking(await urlOf(server));
    await expect.poll(entry, PATIENCE).toMatchObject({ name: 'yours', missing: null });
    server.child.kill('SIGINT');
    await server.ended;
  });
});

test('Play shows the invariant, the rows and the locks of a program that has its own tables', async () => {
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

// test/campaigns/lab/own/programs.test.ts has more bad programs.
test('the server outlives a program that dies in the middle of a game', async () => {
  const lab = await showHere({ module: fixture('dies-when-full.mjs') });
  const played = await lab.play(['1', '1', '1', '2']);
  expect(played).toMatchObject({
    verdict: expect.stringMatching(/^error: /),
    failure: expect.stringMatching(/^The program \S+ ended with exit code 7$/),
  });
  expect((await lab.play(OVERSOLD)).verdict).toBe('oversold: 5 claims, 4 slots');
  await expectLife(lab);
});

test('a server that ends by SIGKILL leaves no copy of the program', () => expectNoCopy('SIGKILL'));

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
  await page.getByText(`npm run replay -- --module ${inFolder(module)} 1,1,1,2`).waitFor();
  await expectAccessibleLooks(page);
  await page.goto(`${url}/lab?view=race&strategy=${YOURS}`);
  await page.getByRole('button', { name: /Race/ }).first().click();
  await page.getByText('npm run race-demo races a program.').waitFor();
});
