import { ClaimQueue } from '../../../../service/claims/group-commit.ts';
import { QUEUE_LIMITS } from '../../../../service/claims/limits.ts';
import { serverPerDatabase } from '../servers.ts';
import type { ClaimStrategy } from '../strategy.ts';

/**
 * The claim of the route `GET /claim-job`. The code is production's own code, and not a copy.
 * Claims that wait at the same time are decided in one transaction, under the same row locks as in
 * `row-lock`. If a job was full a moment ago, production first checks without a lock. This check
 * can only refuse a claim.
 */
export const production: ClaimStrategy = {
  name: 'production',
  idea: 'row-lock for many claims at once, and refusals without a lock',
  promise: 'capacity',
  batched: true,
  claim: startServers(),
  restart: startServers,
};

/**
 * Returns a `claim` that makes one queue for each database, at the first claim in this database.
 */
function startServers(): ClaimStrategy['claim'] {
  return serverPerDatabase((db) => {
    const queue = new ClaimQueue(db, QUEUE_LIMITS, ignore);
    return (_db, request) => queue.claim(request);
  });
}

/**
 * Does nothing. Production logs the error of a transaction that fails after all its claims were
 * answered. The lab needs no log.
 */
const ignore = () => undefined;
