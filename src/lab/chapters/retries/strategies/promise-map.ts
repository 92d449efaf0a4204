import { done } from '../queries.ts';
import type { Answer, RetryStrategy } from '../strategy.ts';

/**
 * Keeps the promise of an answer in memory, before the work begins. So a second request on this
 * server waits for the answer of the first. A second server has a separate memory, and a restart
 * empties the memory.
 * Counterexample: S1 charges and the server dies. The client asks again. The server charges again.
 */
export const promiseMap: RetryStrategy = {
  name: 'promise-map',
  idea: 'keep promises of answers in memory',
  promise: 'nothing',
  async handle(_db, { key }, server) {
    let settle: (answer: Promise<Answer>) => void = () => undefined;
    const mine: Pending = { answer: new Promise((resolve) => (settle = resolve)) };
    // THE GAP: other servers do not know this map, and the map dies with this server.
    const first = await server.memory.putIfAbsent(key, mine);
    if (!first) settle(server.charge().then(done));
    return (first ?? mine).answer;
  },
};

interface Pending {
  answer: Promise<Answer>;
}
