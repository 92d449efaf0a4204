import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';

export type Sleep = (milliseconds: number) => Promise<unknown>;

const current = new AsyncLocalStorage<Sleep>();

/** Waits before another try. What waits here waits on the explorer's time when that runs it. */
export const sleep: Sleep = (milliseconds) => (current.getStore() ?? setTimeout)(milliseconds);

/** Runs code whose `sleep` is this one. */
export const withSleep = <T>(own: Sleep, work: () => T): T => current.run(own, work);
