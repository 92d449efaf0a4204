import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { inProject } from '../../src/process/project.ts';
import { makeTmpDir, run } from '../support/command.ts';

/** The output of PostgreSQL's isolationtester for `claims/row-lock`. */
const OUTPUT = inProject('test/lab/explore/isolation/recorded/claims-row-lock-last-slot-2.out');

test('a situation that few strategies have is explored for these, and the JSON names it', async () => {
  const { ended, stdout } = run('scripts/explore.ts', ['--situation', 'freed', '--json'], {
    DATABASE_URL: inject('scratchUrl'),
  });
  expect((await ended).code).toBe(0);
  const explored = JSON.parse(stdout());
  expect(explored).toMatchObject([{ strategy: 'production', situation: 'freed', faults: {} }]);
});

describe('the specs for isolationtester', () => {
  const env = () => ({ DATABASE_URL: inject('scratchUrl') });
  const strategy = ['--strategy', 'claims/row-lock'];

  test('are in the folder, and an output is compared', async () => {
    const folder = path.join(makeTmpDir(), 'new', 'specs');
    const written = run('scripts/explore.ts', [...strategy, '--isolation', folder], env());
    expect((await written.ended).code, written.stderr()).toBe(0);
    const file = path.join(folder, 'claims-row-lock-last-slot-2.spec');
    expect(written.stdout()).toBe(`${file}: 8 schedules\n`);
    expect(readFileSync(file, 'utf8').match(/^permutation /gm)).toHaveLength(8);
    expect(readFileSync(path.join(folder, 'schema.sql'), 'utf8')).toContain('CREATE TABLE "jobs"');
    const compared = run('scripts/explore.ts', [...strategy, '--compare', OUTPUT], env());
    expect((await compared.ended).code, compared.stderr()).toBe(0);
    expect(compared.stdout()).toBe('claims/row-lock:last-slot:2: 8 of 8 schedules agree\n');
  });

  test('differ from an output in which a wait was edited', async () => {
    const file = path.join(makeTmpDir(), 'edited.out');
    writeFileSync(file, readFileSync(OUTPUT, 'utf8').replace(' <waiting ...>', ''));
    const compared = run('scripts/explore.ts', [...strategy, '--compare', file], env());
    expect((await compared.ended).code).toBe(1);
    expect(compared.stdout()).toMatch(/schedule \d of 8 differs.*waited until step/);
    const [, command = ''] = /replay: npm run replay -- (.*)/.exec(compared.stdout()) ?? [];
    const replayed = run('scripts/replay.ts', command.split(' '), env());
    expect((await replayed.ended).code, replayed.stderr()).toBe(0);
  });

  // test/slow/scripts/explore.test.ts has more wrong options.
  test.each([
    [['--compare', 'x.out', '--isolation', 'x'], /^Only one of --isolation/],
    [['--compare', 'package.json'], /^package\.json is no output of isolationtester/],
  ])('get one line for %j', async (args, words) => {
    const { ended, stdout, stderr } = run('scripts/explore.ts', [...strategy, ...args], env());
    expect((await ended).code).toBe(2);
    expect([stdout(), stderr().trimEnd()]).toEqual(['', expect.stringMatching(words)]);
    expect(stderr().trimEnd()).not.toContain('\n');
  });
});
