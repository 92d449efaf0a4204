import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { inProject } from '../../../../src/platform/process/project.ts';
import { makeTmpDir } from '../../../support/command.ts';
import { booking, explorer, onServer } from '../../../support/explorer-command.ts';

test('`report` writes HTML and JUnit XML, and marks the file on GitHub', async () => {
  const file = booking();
  const html = path.join(path.dirname(file), 'report.html');
  const junit = path.join(path.dirname(file), 'report.xml');
  const { code, stdout } = await explorer(
    ['report', file, '--html', html, '--junit', junit, ...onServer],
    { GITHUB_ACTIONS: 'true' },
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(/ · booking, wrong: broken in \d+ of all \d+ schedules \(/);
  expect(stdout).toContain('room 1 has 2 bookings for night 3');
  expect(stdout).toMatch(/ · booking, right: the rule holds in all \d+ schedules \(/);
  expect(stdout).toMatch(/\n::error file=\S+,line=1,title=booking%2C wrong%3A broken in /);
  const page = readFileSync(html, 'utf8');
  expect(page).toContain('<h2>✗ booking, wrong</h2>');
  expect(page).toContain('<h2>✓ booking, right</h2>');
  expect(page).not.toMatch(/<script|https?:/);
  const xml = readFileSync(junit, 'utf8');
  expect(xml).toContain('tests="2" failures="1" errors="0"');
  expect(xml).toContain('message="room 1 has 2 bookings for night 3"');

  const again = await explorer(['replay', file, ...onServer]);
  expect(again.stdout).toContain('booking, wrong: room 1 has 2 bookings for night 3\n');
  expect(again.stdout).toContain('booking, right: nothing was replayed.');
  expect(again.code).toBe(1);
});

test('the example of `init` loses money, and holds with the lock', async () => {
  const folder = makeTmpDir(inProject('dist'));
  const file = path.join(folder, 'transfer.explore.mjs');
  const made = await explorer(['init', folder]);
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining(`Wrote `)]);
  const wrong = await explorer(['explore', file, '--first', ...onServer]);
  expect([wrong.code, wrong.stdout]).toEqual([
    1,
    expect.stringContaining('money is kept: broken in schedule 3 ('),
  ]);
  expect(await explorer(['replay', file, ...onServer])).toMatchObject({ code: 1 });
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace('where id = 1`;\n      if', 'where id = 1 for update`;\n      if'),
  );
  const limited = await explorer(['explore', file, '--schedules', '2', ...onServer]);
  expect([limited.code, limited.stdout]).toEqual([
    4,
    expect.stringContaining('the rule holds in the first 2 schedules'),
  ]);
  expect(await explorer(['explore', file, ...onServer])).toMatchObject({ code: 0 });
  const twice = await explorer(['init', folder]);
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringMatching(/exists already\.\n$/) });
});

test('doctor says what the account may do', async () => {
  const { code, stdout } = await explorer(['doctor', ...onServer]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✓ PostgreSQL at .* answers, version \d+/);
  expect(stdout).toContain('may create databases\n');
  expect(stdout).toContain('✓ PostgreSQL reports each wait at once\n');
  expect(stdout).not.toContain(new URL(inject('scratchUrl')).password);
  const nobody = await explorer(['doctor', '--database', 'postgres://127.0.0.1:1/none']);
  expect(nobody).toMatchObject({ code: 2, stdout: expect.stringMatching(/^✗ /) });
});

test.each([
  [['explode'], 'There is no command explode. See: rowlock-explorer --help'],
  [['explore'], 'Name a file that exports an exploration. `init` writes an example.'],
  [['explore', 'none.mjs'], 'There is no file none.mjs.'],
  [['explore', 'README.md'], /^README\.md cannot be imported: /],
  [['explore', 'package.json'], /^package\.json must export by default an object/],
  [
    ['explore', 'vitest.config.ts', '--schedules', '0'],
    /must export by default|needs a whole number/,
  ],
  [['explore', '--bogus'], "Unknown option '--bogus'. See: rowlock-explorer --help"],
  [['report', 'none.mjs'], 'report needs --html OUT or --junit OUT.'],
  [['init', '/no/such/folder'], 'There is no folder /no/such/folder.'],
])('%j is refused in one line', async (args, why) => {
  const { code, stdout, stderr } = await explorer(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(why);
});

test('without a command, the help is printed', async () => {
  const { code, stdout } = await explorer([]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Exit codes: 0 every order held')]);
});
