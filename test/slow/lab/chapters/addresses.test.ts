import { test } from 'vitest';
import { expectOneLineOf } from '../../../support/refusal.ts';

test.concurrent.each([
  [['scripts/replay.ts', 'naive', '1', '--situation', 'war'], /^There is no situation "war"/],
  [
    ['scripts/explore.ts', '--strategy', 'naive', '--situation', 'two-servers'],
    /^There is no situation/,
  ],
  [['scripts/explore.ts', '--strategy', 'hope'], /^There is no strategy "hope"/],
  [
    ['scripts/explore.ts', '--strategy', 'all', '--strategy', 'hope'],
    /^There is no strategy "hope"/,
  ],
  [['scripts/judge.ts', 'mine.ts', '--chapter', 'clams'], /^There is no chapter "clams"/],
])('the command %j prints one line with the mistake, and exits with code 2', expectOneLineOf);
