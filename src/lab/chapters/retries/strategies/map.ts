import { done } from '../queries.ts';
import type { Answer, RetryStrategy } from '../strategy.ts';

/**
 * Keeps answers in the memory of the server. Two requests may look before one of them has an answer.
 * A second server has a memory of its own, and a restart empties the memory.
 * Witness: S1 looks, S2 looks, both charge. On one server, S1 answers and the server dies, the client asks
 * again.
 */
export const map: RetryStrategy = {
  name: 'map',
  idea: 'keep answers in memory',
  promise: 'nothing',
  async handle(_db, { key }, server) {
    const known = await server.memory.get<Answer>(key);
    if (known) return known;
    // THE GAP: until we keep our answer, another request finds none.
    const answer = done(await server.charge());
    await server.memory.set(key, answer);
    return answer;
  },
};
