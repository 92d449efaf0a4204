import type { Strategy } from '../strategy.ts';
import { naive } from './naive.ts';
import { rowLock } from './row-lock.ts';
import { transaction } from './transaction.ts';

/** The syllabus: every strategy, in the order in which the workshop meets them. */
export const strategies: readonly Strategy[] = [naive, transaction, rowLock];
