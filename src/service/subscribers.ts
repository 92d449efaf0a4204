import type { Subscriber } from '../claims/slots.ts';

/** The subscribers to slot changes in production. There are none yet. */
export const subscribers: readonly Subscriber[] = [];
