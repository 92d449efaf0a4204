import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Sleep } from '../../chapter.ts';

const current = new AsyncLocalStorage<Sleep>();

/** Waits before the next attempt. In the explorer, the schedule decides when the wait ends. */
export const sleep: Sleep = (milliseconds) => (current.getStore() ?? setTimeout)(milliseconds);

/** Runs `work`. During `work`, `sleep` calls `own`. */
export const withSleep = <T>(own: Sleep, work: () => T): T => current.run(own, work);
