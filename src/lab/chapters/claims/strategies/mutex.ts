import type { Database } from '../../../../platform/db/client.ts';
import { insertClaim } from '../../../../service/claims/queries.ts';
import type { ClaimRequest, Outcome } from '../../../../service/claims/rules.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/** Starts a server. The claims of each job wait in a queue in the server's memory. */
function startServer(): ClaimStrategy['claim'] {
  const tails = new Map<bigint, Promise<unknown>>();
  return (db, request) => {
    const before = tails.get(request.jobId) ?? Promise.resolve();
    // THE QUEUE: every earlier claim of this job on this server ends before ours begins.
    const mine = before.then(() => countThenInsert(db, request));
    const tail = mine.catch(() => undefined);
    tails.set(request.jobId, tail);
    void tail.then(() => tails.get(request.jobId) === tail && tails.delete(request.jobId));
    return mine;
  };
}

async function countThenInsert(db: Database, request: ClaimRequest): Promise<Outcome> {
  const decision = await countClaims(db, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(db, request);
  return { kind: 'claimed', claim, slots: decision.slots };
}

/**
 * A queue in the server's memory runs one claim of a job at a time. The queue is as good as a lock,
 * as long as there is one server and nobody else writes to the table.
 */
export const mutex: ClaimStrategy = {
  name: 'mutex',
  idea: 'a queue in memory: right while there is one server',
  promise: 'capacity',
  isOneProcess: true,
  claim: startServer(),
  restart: startServer,
};

/**
 * The same code on two servers. One server serves recruiters with odd ids, and the other server
 * serves recruiters with even ids. Each server has its own memory, so neither queue knows the
 * claims of the other queue.
 * Counterexample: S1 counts 3 on one server. S2 counts 3 on the other server. Both insert.
 */
export const mutexOnTwoServers: ClaimStrategy = {
  name: 'mutex-two-servers',
  file: 'mutex',
  idea: 'the same queue, on each of two servers',
  promise: 'nothing',
  // Both servers of the lab live in one process.
  isOneProcess: true,
  // THE GAP: each server has its own queue, so two claims of a job may run at the same time.
  claim: startTwoServers(),
  restart: startTwoServers,
};

function startTwoServers(): ClaimStrategy['claim'] {
  const [even, odd] = [startServer(), startServer()];
  return (db, request) => (request.recruiterId % 2n ? odd : even)(db, request);
}
