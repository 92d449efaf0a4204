import { test } from 'vitest';
import { expectToldOnce } from '../../support/interleavings.ts';

// test/campaigns/queue/interleavings.test.ts goes on for longer.
test('each claim and each outcome is told exactly once, to the attempt that has the task', () =>
  expectToldOnce(150));
