import { done } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Does not look at the key. Each repeat is a new request.
 * Witness: S1 charges and dies, the client asks again, the server charges again.
 */
export const none: RetryStrategy = {
  name: 'none',
  idea: 'charge for each request',
  promise: 'nothing',
  async handle(_db, _request, server) {
    // THE GAP: nobody knows that the client was charged.
    return done(await server.charge());
  },
};
