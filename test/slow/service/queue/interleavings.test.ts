import { test } from 'vitest';
import { expectToldOnce } from '../../../support/interleavings.ts';

// test/campaigns/service/queue/interleavings.test.ts runs this for longer.
test('each claim and outcome is reported exactly once, to the attempt that has the task', () =>
  expectToldOnce(150));
