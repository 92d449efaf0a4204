import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { campaigns, campaignsFor, has } from '../../scripts/campaigns.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir, run } from '../support/command.ts';

const roomsIn = (folder: string) =>
  readdirSync(inProject(folder))
    .filter((name) => name !== 'README.md')
    .map((name) => `${folder}/${name}`);

const ROOMS = [
  ...roomsIn('src').filter((name) => name.endsWith('.ts')),
  ...['src/client', 'src/explorer', 'src/pages'],
  ...['src/platform', 'src/service', 'src/lab', 'proof'].flatMap(roomsIn),
];

test.each(ROOMS)('the table has a campaign for %s, or for a part of it', (room) => {
  const held = campaigns
    .flatMap(({ holds }) => holds)
    .filter((each) => has(room, each) || has(each, room));
  expect(held).not.toEqual([]);
});

test('each campaign is in the table once, and each room of the table exists', () => {
  const files = execFileSync('git', ['ls-files', 'test/campaigns'], { cwd: inProject('.') });
  const written = String(files)
    .split('\n')
    .filter((name) => name.endsWith('.test.ts'));
  expect(campaigns.map(({ file }) => file).toSorted()).toEqual(written.toSorted());
  const rooms = campaigns.flatMap(({ holds }) => holds);
  expect(rooms.filter((room) => !existsSync(inProject(room)))).toEqual([]);
});

test('a change chooses the campaigns of its room first, and short campaigns before long campaigns', () => {
  const namesOf = (...changed: string[]) =>
    campaignsFor(changed).map(({ file }) => file.replace(/^test\/campaigns\/|\.test\.ts$/g, ''));
  expect(namesOf('README.md', 'src/clients.ts')).toEqual([]);
  expect(namesOf('src/client/call.ts')).toEqual([
    'client/generated',
    'client/package',
    'client/tabs',
  ]);
  expect(namesOf('test/campaigns/service/queue/crash.test.ts')).toEqual(['service/queue/crash']);
  expect(namesOf('test/support/tabs.ts', 'proof/bench/bench.ts')).toEqual([
    ...['scripts/bench-ends', 'scripts/bench', 'client/tabs'],
  ]);
});

/**
 * Makes a history in which only this file changed since HEAD. Returns the environment that makes
 * git use this history for the folder of the project.
 */
function makeHistory(changed: string) {
  const env = { GIT_DIR: path.join(makeTmpDir(), '.git'), GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: inProject('.'), env: { ...process.env, ...env }, input: '' });
  git('init', '--quiet');
  // git ignores all other files of the project. Otherwise they would all count as changed.
  writeFileSync(path.join(env.GIT_DIR, 'info/exclude'), '*\n');
  const blob = String(git('hash-object', '-w', '--stdin')).trim();
  git('update-index', '--add', '--cacheinfo', `100644,${blob},${changed}`);
  git(
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@localhost',
    'commit',
    '--quiet',
    '-m',
    'First',
  );
  return env;
}

const changed = (args: string[], env?: Record<string, string>) =>
  run('scripts/test-changed.ts', args, env);

const SYLLABUS = 'src/lab/syllabus/chapters.ts';
/** The campaigns of the syllabus. */
const LISTED = `\
  test/campaigns/lab/pages/lessons.test.ts (about 3 min)
  test/campaigns/scripts/matrix.test.ts (about 14 min)
`;

describe('the command', () => {
  test.each([
    ['a base', ['--since', 'HEAD'], 'HEAD'],
    ['the usual base', [], '[0-9a-f]{12}'],
  ])('lists the campaigns of the files that changed since %s', async (_, options, since) => {
    const { ended, stdout, stderr } = changed(['--list', ...options], makeHistory(SYLLABUS));
    expect(await ended, stderr()).toEqual({ code: 0, signal: null });
    const [head, ...lines] = stdout().split(/^/m);
    expect(head).toMatch(new RegExp(`^Campaigns of the files that changed since ${since}:\n$`));
    expect(lines.join('')).toBe(LISTED);
  });

  test('lists no campaign if no campaign tests the changed file', async () => {
    const { ended, stdout, stderr } = changed(['--list'], makeHistory('README.md'));
    expect(await ended, stderr()).toEqual({ code: 0, signal: null });
    expect(stdout()).toMatch(/:\n {2}none\n$/);
  });

  test('lists campaigns for the real history of the project', async () => {
    const { ended, stdout, stderr } = changed(['--list']);
    expect(await ended, stderr()).toEqual({ code: 0, signal: null });
    expect(stdout()).toMatch(/:\n(( {2}test\/campaigns\/\S+ \(about \d+ min\)\n)+| {2}none\n)$/);
  });

  test('names the campaigns that do not fit into the time', async () => {
    const { ended, stdout, stderr } = changed(['--minutes', '1'], makeHistory(SYLLABUS));
    expect(await ended, stderr()).toEqual({ code: 0, signal: null });
    expect(stdout()).toContain(`No time was left for these campaigns:\n${LISTED}`);
  });

  test('refuses an unknown base in one line', async () => {
    const { ended, stderr } = changed(['--list', '--since', 'nothing']);
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(/^--since: there is no commit nothing\. .*\n$/);
  });
});
