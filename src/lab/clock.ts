import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { timePassed } from './chapters/claims/tables.ts';

export type Sleep = (milliseconds: number) => Promise<unknown>;

const current = new AsyncLocalStorage<Sleep>();

/** Waits before another try. What waits here waits on the explorer's time when that runs it. */
export const sleep: Sleep = (milliseconds) => (current.getStore() ?? setTimeout)(milliseconds);

/** Runs code whose `sleep` is this one. */
export const withSleep = <T>(own: Sleep, work: () => T): T => current.run(own, work);

/** The database's clock. Where a scenario makes time pass, it is ahead, and nobody has to wait. */
export const now = sql`(now() + coalesce((select sum(ahead) from ${timePassed}), interval '0'))`;
