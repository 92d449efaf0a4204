import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { nameOf, send } from './ask.ts';
import { onDatabase } from './audit.ts';
import type { Stage } from './scenario.ts';

/** How soon a claim must be granted after new connections lead to a promoted server. */
const CLAIMED_WITHIN_MS = 5_000;
/**
 * How soon everything must be well. A session on a standby gives trouble for as long as it lives.
 */
const WELL_WITHIN_MS = 15_000;
/** At most 20 of 100 requests may be refused. A slow machine refuses some even without faults. */
const CALM = { requests: 100, turnedAway: 20 };
const LOOK_MS = 5;

/** Counts of requests by answer, at one moment. */
export interface Counted {
  at: number;
  requests: number;
  claims: number;
  turnedAway: number;
}

export function countedAt({ load }: Stage): Counted {
  const { requests, answers } = load.counts;
  const turnedAway = Object.entries(answers).filter(([name]) => name.startsWith('503'));
  return {
    at: Date.now(),
    requests,
    claims: answers['201'] ?? 0,
    turnedAway: turnedAway.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** The milliseconds until a claim was granted. */
export async function untilClaimed(stage: Stage, since: Counted): Promise<number> {
  for (;;) {
    const now = countedAt(stage);
    const took = now.at - since.at;
    if (now.claims > since.claims) return took;
    if (took > CLAIMED_WITHIN_MS) return tooLate(stage, took, 'no claim was granted');
    await look(stage);
  }
}

/** The milliseconds until the service refused only few requests. */
export async function untilCalm(stage: Stage, since: Counted): Promise<number> {
  for (;;) {
    const before = countedAt(stage);
    let now = before;
    for (; now.requests < before.requests + CALM.requests; now = countedAt(stage))
      await look(stage);
    const took = before.at - since.at;
    const requests = now.requests - before.requests;
    const turnedAway = now.turnedAway - before.turnedAway;
    if (turnedAway / requests <= CALM.turnedAway / CALM.requests) return took;
    if (took > WELL_WITHIN_MS)
      return tooLate(stage, took, `${turnedAway} of ${requests} requests were answered 503`);
  }
}

/**
 * Resolves when no session is on the standby. Such a session refuses claims for as long as it
 * lives.
 */
export async function untilStandbyIsLeft(stage: Stage, standby: { url: string }, since: Counted) {
  for (;;) {
    // A killed server has no sessions.
    const sessions = await onDatabase(standby.url, sessionsOfService).catch(() => 0);
    if (sessions === 0) return;
    const took = Date.now() - since.at;
    if (took > WELL_WITHIN_MS)
      return tooLate(stage, took, `${sessions} sessions were on the standby`);
    await look(stage);
  }
}

async function sessionsOfService(sql: postgres.Sql): Promise<number> {
  const sessions = await sql`SELECT FROM pg_stat_activity WHERE application_name = 'rowlock'`;
  return sessions.length;
}

/** Resolves when every server reports that it is ready. */
export async function untilReady(stage: Stage, since: Counted) {
  for (const { url } of stage.servers) {
    for (;;) {
      const reply = await send(url, { path: '/readyz', method: 'GET' });
      if (reply.kind === 'answer' && reply.status === 200) break;
      const took = Date.now() - since.at;
      if (took > WELL_WITHIN_MS) {
        tooLate(stage, took, `a server was not ready (${nameOf(reply)})`);
        break;
      }
      await look(stage);
    }
  }
}

function tooLate({ ledger }: Stage, tookMs: number, what: string): number {
  ledger.add({ promise: 'it answers', what: `${what} ${tookMs} ms after a switchover` });
  return tookMs;
}

export async function look({ stop }: Stage) {
  stop.throwIfAborted();
  await sleep(LOOK_MS);
}
