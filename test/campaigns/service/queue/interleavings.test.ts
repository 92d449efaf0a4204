import { test } from 'vitest';
import { expectToldOnce } from '../../../support/interleavings.ts';

test('each claim and each outcome in the database was reported to exactly one worker', () =>
  expectToldOnce(2_000));
