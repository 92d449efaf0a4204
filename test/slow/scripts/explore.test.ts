import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { sayCompared } from '../../../scripts/isolation.ts';
import { compare } from '../../../src/explorer/isolation/compare.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir, run } from '../../support/command.ts';
import { explored, makeBareStage } from '../../support/isolation.ts';

const RECORDED = 'test/explorer/isolation/recorded/claims-row-lock-last-slot-2.out';
const env = () => ({ DATABASE_URL: inject('scratchUrl') });
const strategy = ['--strategy', 'claims/row-lock'];

test('explore plays a situation only with the strategies that have it, and the JSON names the situation', async () => {
  const args = ['--situation', 'two-servers', '--most', '5', '--json'];
  const { ended, stdout } = run('scripts/explore.ts', args, env());
  expect((await ended).code).toBe(0);
  const explored = JSON.parse(stdout());
  expect(explored).toMatchObject([
    { strategy: 'production', situation: 'two-servers', faults: {} },
  ]);
});

describe('isolationtester', () => {
  test('agrees with the explorer, and its specs and output are in the folder', {
    tags: ['isolationtester'],
  }, async () => {
    const folder = path.join(makeTmpDir(), 'new', 'specs');
    const checked = run('scripts/explore.ts', [...strategy, '--isolation', folder], env());
    expect((await checked.ended).code, checked.stderr()).toBe(0);
    expect(checked.stdout()).toBe('claims/row-lock:last-slot:2: 8 of 8 schedules agree\n');
    const read = (end: string) =>
      readFileSync(path.join(folder, `claims-row-lock-last-slot-2.${end}`), 'utf8');
    expect(read('spec').match(/^permutation /gm)).toHaveLength(8);
    expect(read('out').match(/^starting permutation: /gm)).toHaveLength(8);
  });

  test('may find a different wait, and the report has a replay command for the schedule', async () => {
    const plan = await explored(await makeBareStage(), 'claims/row-lock', 'last-slot');
    const output = readFileSync(inProject(RECORDED), 'utf8');
    const difference = compare(plan, output.replace(' <waiting ...>', ''));
    const words = sayCompared(plan, difference);
    expect(words).toMatch(/schedule \d of 8 differs.*waited until step/);
    const [, command = ''] = /replay: npm run replay -- (.*)/.exec(words) ?? [];
    const replayed = run('scripts/replay.ts', command.split(' '), env());
    expect((await replayed.ended).code, replayed.stderr()).toBe(0);
  });
});

describe('a wrong use of isolationtester', { tags: ['isolationtester'] }, () => {
  test.each([
    [['--isolation', 'x', '--leave-out-mirrored'], /^--isolation uses all schedules/],
    [['--leave-out-commuting', '--leave-out-mirrored'], /^Only one of --leave-out-mirrored and/],
    [['--isolation', 'package.json'], /^EEXIST: file already exists, mkdir '.*package\.json'$/],
    [['--isolation', '/proc/x'], /^ENOENT: no such file or directory, mkdir '\/proc\/x'$/],
  ])('is refused in one line: %j', async (args, words) => {
    const { ended, stdout, stderr } = run('scripts/explore.ts', [...strategy, ...args], env());
    expect((await ended).code).toBe(2);
    expect([stdout(), stderr().trimEnd()]).toEqual(['', expect.stringMatching(words)]);
    expect(stderr().trimEnd()).not.toContain('\n');
  });
});

test('isolationtester cannot be used together with --json', async () => {
  const args = [...strategy, '--json', '--isolation', 'x'];
  const { ended, stdout, stderr } = run('scripts/explore.ts', args, env());
  expect((await ended).code).toBe(2);
  expect([stdout(), stderr()]).toEqual(['', 'Only one of --isolation and --json can be given.\n']);
});
