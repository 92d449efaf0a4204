import { done } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Ignores the key, so each repeat is a new request.
 * Counterexample: server S1 charges the client and dies. The client asks again. The server charges
 * the client again.
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
