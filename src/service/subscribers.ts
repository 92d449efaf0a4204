import type { Subscriber } from '../claims/slots.ts';

/** Everybody in production who hears of changed slots inside their transaction. Nobody does yet. */
export const subscribers: readonly Subscriber[] = [];
