import { test } from 'vitest';
import { expectOneLineOf } from '../../../support/refusal.ts';

test.concurrent.each([
  [['scripts/replay.ts', 'naive', '1', '--situation', 'war'], /^There is no situation "war"/],
  [
    ['scripts/explore.ts', '--strategy', 'naive', '--situation', 'two-servers'],
    /^There is no situation/,
  ],
  [['scripts/explore.ts', '--strategy', 'hope'], /^There is no strategy "hope"/],
])('%j is refused in one line with exit code 2', expectOneLineOf);
