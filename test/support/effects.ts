import type { Effect } from '../../src/lab/chapter.ts';

/** Does an effect immediately, without a scheduler. */
export const atOnce: Effect = async (_does, act) => act();
