import type { QueueStrategy } from '../strategy.ts';
import { production } from './production.ts';
import { selectThenUpdate } from './select-then-update.ts';
import { skipLocked } from './skip-locked.ts';

/** All strategies, in the order of the workshop. */
export const strategies: readonly QueueStrategy[] = [selectThenUpdate, skipLocked, production];
