import type postgres from 'postgres';
import { until } from '../../src/platform/waiting/until.ts';
import { nameOf, send } from './ask.ts';
import { onDatabase } from './audit.ts';
import type { Stage } from './scenario.ts';

/** The maximum time from a switchover until a claim is granted. */
const CLAIMED_WITHIN_MS = 5_000;
/**
 * The maximum time from a switchover until all servers are ready, only few requests are refused,
 * and no session of the service is on the standby.
 */
const WELL_WITHIN_MS = 15_000;
/**
 * The service is calm if at most 20 of 100 requests are answered 503. The limit is not 0, because a
 * service on a slow machine refuses a few requests even without faults.
 */
const CALM = { requests: 100, turnedAway: 20 };
export const LOOK_MS = 5;

/** The load's counts at one moment. `turnedAway` counts the answers with status 503. */
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

/** Waits until a claim is granted. Returns the milliseconds since `since`. */
export async function untilClaimed(stage: Stage, since: Counted): Promise<number> {
  const isClaimed = () => countedAt(stage).claims > since.claims;
  const inTime = await until(isClaimed, looksWithin(CLAIMED_WITHIN_MS, stage, since));
  const took = Date.now() - since.at;
  return inTime ? took : tooLate(stage, took, 'no claim was granted');
}

/**
 * Waits for a series of requests in which at most one in five was answered 503. Returns the
 * milliseconds from `since` until the beginning of this series.
 */
export async function untilCalm(stage: Stage, since: Counted): Promise<number> {
  for (;;) {
    const before = countedAt(stage);
    let now = before;
    const isEnough = () => {
      now = countedAt(stage);
      return now.requests >= before.requests + CALM.requests;
    };
    await until(isEnough, { everyMs: LOOK_MS, stop: stage.stop });
    const took = before.at - since.at;
    const requests = now.requests - before.requests;
    const turnedAway = now.turnedAway - before.turnedAway;
    if (turnedAway / requests <= CALM.turnedAway / CALM.requests) return took;
    if (took > WELL_WITHIN_MS)
      return tooLate(stage, took, `${turnedAway} of ${requests} requests were answered 503`);
  }
}

/**
 * Resolves when no session of the service is on the standby. All claims on such a session fail
 * until the session ends.
 */
export async function untilStandbyIsLeft(
  stage: Stage,
  standby: { url: string },
  since: Counted,
  withinMs = WELL_WITHIN_MS,
) {
  let sessions = 0;
  const isLeft = async () => {
    // The query fails if the standby was killed. A killed server has no sessions.
    sessions = await onDatabase(standby.url, sessionsOfService).catch(() => 0);
    return sessions === 0;
  };
  if (!(await until(isLeft, looksWithin(withinMs, stage, since))))
    tooLate(stage, Date.now() - since.at, `${sessions} sessions were on the standby`);
}

async function sessionsOfService(sql: postgres.Sql): Promise<number> {
  const sessions = await sql`SELECT FROM pg_stat_activity WHERE application_name = 'rowlock'`;
  return sessions.length;
}

/** Resolves when every server reports that it is ready. */
export async function untilReady(stage: Stage, since: Counted) {
  for (const { url } of stage.servers) {
    let heard = '';
    const isReady = async () => {
      const reply = await send(url, { path: '/readyz', method: 'GET' });
      heard = nameOf(reply);
      return reply.kind === 'answer' && reply.status === 200;
    };
    if (!(await until(isReady, looksWithin(WELL_WITHIN_MS, stage, since))))
      tooLate(stage, Date.now() - since.at, `a server was not ready (${heard})`);
  }
}

const looksWithin = (ms: number, { stop }: Stage, since: Counted) => ({
  everyMs: LOOK_MS,
  withinMs: since.at + ms - Date.now(),
  stop,
});

function tooLate({ ledger }: Stage, tookMs: number, what: string): number {
  ledger.add({ promise: 'the server answers', what: `${what} ${tookMs} ms after a switchover` });
  return tookMs;
}
