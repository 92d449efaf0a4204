import { done } from '../queries.ts';
import type { Answer, RetryStrategy } from '../strategy.ts';

/**
 * Keeps answers in the memory of the server. Two requests may find no answer before one of them
 * stores its answer. A second server has a separate memory, and a restart empties the memory.
 * Counterexample: S1 finds no answer. S2 finds no answer. Both charge. Or on one server: S1 charges
 * and answers. The server dies. The client asks again.
 */
export const map: RetryStrategy = {
  name: 'map',
  idea: 'keep answers in memory',
  promise: 'nothing',
  async handle(_db, { key }, server) {
    const known = await server.memory.get<Answer>(key);
    if (known) return known;
    // THE GAP: until we store our answer, another request finds no answer.
    const answer = done(await server.charge());
    await server.memory.set(key, answer);
    return answer;
  },
};
