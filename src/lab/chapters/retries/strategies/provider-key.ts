import { done } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Sends the client's key on to the provider, which charges once for each key. Our own server stores
 * nothing. This is right as long as the provider remembers the key.
 */
export const providerKey: RetryStrategy = {
  name: 'provider-key',
  idea: 'the provider drops repeats by the key',
  promise: 'once',
  async handle(_db, { key }, server) {
    // THE FENCE: the provider charges once for this key.
    return done(await server.charge({ key }));
  },
};

/**
 * The same code, with a provider that forgets a key after a day. But a client may ask again later.
 * Counterexample: S1 charges and dies. Two days pass. The client asks again. The provider charges
 * again.
 */
export const providerKeyForADay: RetryStrategy = {
  name: 'provider-key-for-a-day',
  file: 'provider-key',
  idea: 'the provider drops repeats by the key, for a day',
  promise: 'nothing',
  timed: true,
  async handle(_db, { key }, server) {
    // THE GAP: after a day, the key is new to the provider.
    return done(await server.charge({ key, days: 1 }));
  },
};
