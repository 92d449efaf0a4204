import { test } from 'vitest';
import { expectFourRecruiters } from '../../../../support/spread.ts';

test.each([100_000])('each of %i jobs gets four different recruiters', expectFourRecruiters);
