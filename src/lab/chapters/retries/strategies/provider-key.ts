import { done } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * Sends the client's key on to the provider, which charges once for each key. Our own server needs
 * to know nothing. This holds as long as the provider remembers the key.
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
 * The same at a provider that forgets a key after a day. A client may ask again later.
 * Witness: S1 charges and dies, two days pass, the client asks again, the provider charges again.
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
