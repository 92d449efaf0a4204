import { describe, expect, inject, test } from 'vitest';
import { run } from '../../support/command.ts';
import { tester } from '../../support/isolation.ts';

const env = () => ({ DATABASE_URL: inject('scratchUrl') });
const strategy = ['--strategy', 'claims/row-lock'];

describe.skipIf(!tester)('a wrong folder for isolationtester', () => {
  test.each([
    [['--isolation', 'x', '--leave-out-mirrored'], /^--isolation uses all schedules/],
    [['--isolation', 'package.json'], /^EEXIST: file already exists, mkdir '.*package\.json'$/],
    [['--isolation', '/proc/x'], /^ENOENT: no such file or directory, mkdir '\/proc\/x'$/],
    [['--isolation', ''], /^--isolation needs a folder/],
  ])('gets one line for %j', async (args, words) => {
    const { ended, stdout, stderr } = run('scripts/explore.ts', [...strategy, ...args], env());
    expect((await ended).code).toBe(2);
    expect([stdout(), stderr().trimEnd()]).toEqual(['', expect.stringMatching(words)]);
    expect(stderr().trimEnd()).not.toContain('\n');
  });
});
