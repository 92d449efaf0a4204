import { insertClaim } from '../../../../claims/queries.ts';
import type { ClaimRequest, Outcome } from '../../../../claims/rules.ts';
import type { Database } from '../../../../db/client.ts';
import { countClaims } from '../count-claims.ts';
import type { ClaimStrategy } from '../strategy.ts';

/** One server: its claims of a job queue up in memory. Each call makes a server of its own. */
function startServer(): ClaimStrategy['claim'] {
  const tails = new Map<bigint, Promise<unknown>>();
  return (db, request) => {
    const before = tails.get(request.jobId) ?? Promise.resolve();
    // THE QUEUE: whoever came before us, to this server, has ended when we begin.
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
 * A queue in the memory of the server lets one claim of a job in at a time. That is as good as a
 * lock for as long as there is one server, and nobody else writes to the table.
 */
export const mutex: ClaimStrategy = {
  name: 'mutex',
  idea: 'a queue in memory: right while there is one server',
  promise: 'capacity',
  claim: startServer(),
  restart: startServer,
};

/**
 * The same code on two servers, of which one serves the odd recruiters and one the even ones. Each
 * has its own memory, so their queues know nothing of one another.
 * Witness: S1 counts 3 on one server, S2 counts 3 on the other, both insert.
 */
export const mutexOnTwoServers: ClaimStrategy = {
  name: 'mutex-two-servers',
  file: 'mutex',
  idea: 'the same queue, on each of two servers',
  promise: 'nothing',
  // THE GAP: each server has a queue of its own, and lets its own first one in.
  claim: startTwoServers(),
  restart: startTwoServers,
};

function startTwoServers(): ClaimStrategy['claim'] {
  const [even, odd] = [startServer(), startServer()];
  return (db, request) => (request.recruiterId % 2n ? odd : even)(db, request);
}
