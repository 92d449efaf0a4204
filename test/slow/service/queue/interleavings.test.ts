import { test } from 'vitest';
import { expectToldOnce } from '../../../support/interleavings.ts';

// test/campaigns/service/queue/interleavings.test.ts tests for a longer time.
test('exactly one answer confirms each claim and each outcome, and it goes to the attempt that has the task', () =>
  expectToldOnce(150));
