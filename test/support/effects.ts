import type { Effect } from '../../src/lab/chapter.ts';

/** Does an effect at once, without a scheduler. */
export const atOnce: Effect = async (_does, act) => act();
