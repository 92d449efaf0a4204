import type { WaitlistStrategy } from '../strategy.ts';
import { joinWithoutLock } from './join-without-lock.ts';
import { lapsedToAnyone } from './lapsed-to-anyone.ts';
import { offerAfterCommit } from './offer-after-commit.ts';
import { offerUnderLock } from './offer-under-lock.ts';
import { polling } from './polling.ts';
import { production } from './production.ts';
import { releaseWithoutLock } from './release-without-lock.ts';
import { skipLocked } from './skip-locked.ts';

/** All strategies, in the order of the workshop. */
export const strategies: readonly WaitlistStrategy[] = [
  polling,
  offerAfterCommit,
  releaseWithoutLock,
  skipLocked,
  joinWithoutLock,
  lapsedToAnyone,
  offerUnderLock,
  production,
];
