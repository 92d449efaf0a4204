import type postgres from 'postgres';
import { until } from '../../../src/platform/waiting/until.ts';
import { onDatabase } from '../audit.ts';
import { anyDice } from '../dice.ts';
import { judgeLine, type LineEvent } from '../judge-line.ts';
import { addLines, lapseOffers, removeLines, waitInLine } from '../line-crowd.ts';
import { NoAnswers } from '../load.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { killOne } from './backends.ts';
import { successorOf } from './restarts.ts';

const JOBS = 12;
const RECRUITERS = 48;
/** The share of the faults that kill a server. The other faults end a backend. */
const KILLS_OF_SERVERS = 0.1;
const LOOK_MS = 20;
const PATIENCE_MS = 60_000;

/** Lets recruiters wait in line on three servers, while servers and backends are killed. */
export const line: Scenario = {
  name: 'line',
  idea: 'recruiters wait in line on three servers; backends are ended and servers are killed',
  servers: 3,
  // The usual recruiters rest. The recruiters of this scenario are the load.
  startsLoad: true,
  faults: (stage) => onDatabase(stage.databaseUrl, (sql) => withLines(sql, stage)),
};

async function withLines(sql: postgres.Sql, stage: Stage) {
  const lines = await addLines(sql, { jobs: JOBS, recruiters: RECRUITERS });
  const { jobIds, recruiterIds } = lines;
  const ending = new AbortController();
  const crowd = Promise.all(
    recruiterIds.map((id) => waitInLine(id, jobIds, stage, anyDice(), ending.signal)),
  );
  const lapses = lapseOffers(stage.databaseUrl, ending.signal);
  try {
    const counts = await makeFaults(sql, stage);
    return counts;
  } finally {
    ending.abort();
    await Promise.all([crowd, lapses]);
    await judge(sql, stage, jobIds);
    await removeLines(sql, lines);
    await sql`DELETE FROM idempotency_keys`;
  }
}

/** Makes all faults, spread evenly over all requests. */
async function makeFaults(sql: postgres.Sql, { settings, servers, load, stop, ...stage }: Stage) {
  const { kills: wanted, requests } = settings;
  let killed = 0;
  let restarts = 0;
  for (let fault = 1; fault <= wanted; fault++) {
    const due = (requests / wanted) * fault;
    const looks = { everyMs: LOOK_MS, withinMs: PATIENCE_MS, stop };
    while (load.counts.requests < due) {
      const before = load.counts.requests;
      if (!(await until(() => load.counts.requests > before, looks)))
        throw new NoAnswers(`no request was answered within ${PATIENCE_MS} ms`);
    }
    stage.progress(`${fault} of ${wanted} faults`);
    if (Math.random() >= KILLS_OF_SERVERS) {
      killed += await killOne(sql);
      continue;
    }
    const victim = servers.shift();
    await victim?.kill();
    if (victim) servers.push(await successorOf(victim, stage));
    restarts++;
  }
  return { kills: killed, restarts };
}

/** Compares the line of each job with its events, after the cleanup has removed what has ended. */
async function judge(sql: postgres.Sql, { ledger }: Stage, jobIds: string[]) {
  const expired = async () =>
    (await sql`SELECT FROM job_claims WHERE expires_at <= statement_timestamp()`).length === 0;
  if (!(await until(expired, { everyMs: LOOK_MS, withinMs: PATIENCE_MS })))
    ledger.add({ promise: 'the server answers', what: 'ended claims are not removed' });
  for (const jobId of jobIds) {
    const events = await sql<LineEvent[]>`
      SELECT number, kind, recruiter_id AS "recruiterId", capacity, xid::text FROM events
      WHERE job_id = ${jobId} ORDER BY number`;
    const { findings, line, holders } = judgeLine(events);
    for (const { promise, what } of findings)
      ledger.add({ promise, what: `job ${jobId}: ${what}` });
    const waiting = await sql<{ id: string }[]>`
      SELECT recruiter_id::text AS id FROM waitlist
      WHERE job_id = ${jobId} AND claim_id IS NULL ORDER BY waitlist.id`;
    const held = await sql<{ id: string }[]>`
      SELECT recruiter_id::text AS id FROM job_claims WHERE job_id = ${jobId} ORDER BY recruiter_id`;
    const inTable = words(
      waiting.map(({ id }) => id),
      held.map(({ id }) => id),
    );
    const inEvents = words(
      line,
      [...holders].toSorted((a, b) => Number(a) - Number(b)),
    );
    if (inTable !== inEvents)
      ledger.add({
        promise: 'acknowledged changes are kept',
        what: `job ${jobId}: the tables say "${inTable}", and its events say "${inEvents}"`,
      });
  }
}

const words = (waiting: string[], held: string[]): string =>
  `${waiting.join(', ') || 'nobody'} waits, ${held.join(', ') || 'nobody'} holds`;
