import { ClaimQueue } from '../../../../claims/batching/claim-queue.ts';
import { QUEUE_LIMITS } from '../../../../claims/limits.ts';
import { serverPerDatabase } from '../servers.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * The claim of the route `GET /claim-job`. The queue is production's own, and not a copy. One
 * transaction decides all claims that come together, under the same row locks as in `row-lock`. If
 * a job was full a moment ago, a first check takes no lock. This check can only refuse a claim.
 */
export const production: ClaimStrategy = {
  name: 'production',
  idea: 'row-lock for many claims at once, and refusals without a lock',
  promise: 'capacity',
  batched: true,
  claim: startServers(),
  restart: startServers,
};

/** Starts servers, each with a queue of its own. */
function startServers(): ClaimStrategy['claim'] {
  return serverPerDatabase((db) => {
    const queue = new ClaimQueue(db, QUEUE_LIMITS, ignore);
    return (_db, request) => queue.claim(request);
  });
}

/** Production logs an error that comes after the answer `unknown`. The lab needs no log. */
const ignore = () => undefined;
