import { test } from 'vitest';
import { expectToldOnce } from '../../../support/interleavings.ts';

// test/campaigns/service/queue/interleavings.test.ts tests for a longer time.
test('each claim and each outcome is confirmed exactly once, to the attempt that has the task', () =>
  expectToldOnce(150));
