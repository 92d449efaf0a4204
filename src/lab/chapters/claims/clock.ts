import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Sleep } from '../../chapter.ts';
import { timePassed } from './tables.ts';

const current = new AsyncLocalStorage<Sleep>();

/** Waits before another try. In the explorer, the scheduler ends the wait. */
export const sleep: Sleep = (milliseconds) => (current.getStore() ?? setTimeout)(milliseconds);

/** Runs `work`. Inside `work`, `sleep` calls `own`. */
export const withSleep = <T>(own: Sleep, work: () => T): T => current.run(own, work);

/**
 * The lab's time. When the scheduler lets time pass, this time moves ahead, and nobody has to wait.
 */
export const now = sql`(now() + coalesce((select sum(ahead) from ${timePassed}), interval '0'))`;
