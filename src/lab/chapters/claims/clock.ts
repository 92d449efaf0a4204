import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Sleep } from '../../chapter.ts';
import { timePassed } from './tables.ts';

const current = new AsyncLocalStorage<Sleep>();

/** Waits before another try. Under the explorer, the scheduler decides when the wait ends. */
export const sleep: Sleep = (milliseconds) => (current.getStore() ?? setTimeout)(milliseconds);

/** Runs code whose `sleep` is this one. */
export const withSleep = <T>(own: Sleep, work: () => T): T => current.run(own, work);

/** The database's clock. Where a situation makes time pass, the clock is ahead, and nobody waits. */
export const now = sql`(now() + coalesce((select sum(ahead) from ${timePassed}), interval '0'))`;
