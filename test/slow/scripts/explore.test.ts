import { describe, expect, inject, test } from 'vitest';
import { inProject } from '../../../src/process/project.ts';
import { run } from '../../support/command.ts';

/** The output of PostgreSQL's isolationtester for `claims/row-lock`. */
const OUTPUT = inProject('test/lab/explore/isolation/recorded/claims-row-lock-last-slot-2.out');
const env = () => ({ DATABASE_URL: inject('scratchUrl') });
const strategy = ['--strategy', 'claims/row-lock'];

describe('the specs for isolationtester', () => {
  test.each([
    [['--isolation', 'x', '--leave-out-mirrored'], /^--isolation and --compare use all schedules/],
    [['--compare', 'no-such-file'], /^ENOENT: no such file or directory, open 'no-such-file'$/],
    [['--isolation', 'package.json'], /^EEXIST: file already exists, mkdir '.*package\.json'$/],
    [['--isolation', '/proc/x'], /^ENOENT: no such file or directory, mkdir '\/proc\/x'$/],
    [['--isolation', ''], /^--isolation needs a folder/],
    [['--strategy', 'claims/naive', '--compare', OUTPUT], /^--compare needs one strategy/],
    [['--situation', 'two-slots', '--compare', OUTPUT], /belongs to claims\/row-lock:last-slot:2/],
  ])('get one line for %j', async (args, words) => {
    const { ended, stdout, stderr } = run('scripts/explore.ts', [...strategy, ...args], env());
    expect((await ended).code).toBe(2);
    expect([stdout(), stderr().trimEnd()]).toEqual(['', expect.stringMatching(words)]);
    expect(stderr().trimEnd()).not.toContain('\n');
  });
});
