import { ClaimQueue } from '../../../../claims/batching/claim-queue.ts';
import { QUEUE_LIMITS } from '../../../../claims/limits.ts';
import type { Database } from '../../../../db/client.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * The claim of the route `GET /claim-job`: not a copy, but the same queue. Claims that come together
 * are decided in one transaction, under the same row locks as in `row-lock`. A claim of a job that was
 * full a moment ago is first looked at without a lock. A look can only refuse.
 */
export const production: ClaimStrategy = {
  name: 'production',
  idea: 'row-lock for many claims at once, and refusals without a lock',
  promise: 'capacity',
  batched: true,
  claim: startServers(),
  restart: startServers,
};

/** Servers that have just started. Each has a database pool of its own, and a queue over it. */
function startServers(): ClaimStrategy['claim'] {
  const queues = new WeakMap<Database, ClaimQueue>();
  return (db, request) => {
    const queue = queues.get(db) ?? new ClaimQueue({ db, subscribers: [] }, QUEUE_LIMITS, ignore);
    queues.set(db, queue);
    return queue.claim(request);
  };
}

/** Production logs an error that comes after the answer `unknown`. */
const ignore = () => undefined;
