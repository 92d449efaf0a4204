import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { expectedTriggers, missingMigrations } from '../../platform/db/migrations.ts';
import { readPast, readSchemaState, TOO_OLD } from '../database/installation.ts';
import {
  idempotencyKeys,
  isLive,
  jobClaims,
  jobs,
  recruiters,
  waitlist,
} from '../database/schema.ts';
import { events } from '../outbox/tables.ts';
import { pausedLanes, tasks, workers } from '../queue/tables.ts';
import { unrelayed } from '../webhooks/tables.ts';
import { type Ages, clearAll } from './clearing.ts';
import { pauseInWords } from './restores.ts';

/** The result of one check: the number of problems, and the first problems as text. */
export interface Finding {
  check: string;
  total: number;
  examples: string[];
}

export interface Diagnosis {
  healthy: boolean;
  findings: Finding[];
  /** The checks that did not run, because migrations are missing or no worker is running. */
  skipped: string[];
  /** Facts for the operator that are no faults. */
  notes: string[];
}

const MOST_EXAMPLES = 20;

/**
 * Each check is a query that returns a row of text for each problem. The checks only read the
 * database, and do not need the service.
 */
const checks: Record<string, SQL> = {
  'jobs with more claims than capacity': sql`
    SELECT format('job %s: %s claims for %s slots', ${jobs.id}, count(*), ${jobs.capacity}) AS words
    FROM ${jobs} JOIN ${jobClaims} ON ${jobClaims.jobId} = ${jobs.id}
    WHERE ${isLive} GROUP BY ${jobs.id} HAVING count(*) > ${jobs.capacity} ORDER BY ${jobs.id}`,
  'claims without their job': sql`
    SELECT format('claim %s: job %s', ${jobClaims.id}, ${jobClaims.jobId}) AS words
    FROM ${jobClaims} LEFT JOIN ${jobs} ON ${jobs.id} = ${jobClaims.jobId}
    WHERE ${jobs.id} IS NULL ORDER BY ${jobClaims.id}`,
  'claims without their recruiter': sql`
    SELECT format('claim %s: recruiter %s', ${jobClaims.id}, ${jobClaims.recruiterId}) AS words
    FROM ${jobClaims} LEFT JOIN ${recruiters} ON ${recruiters.id} = ${jobClaims.recruiterId}
    WHERE ${recruiters.id} IS NULL ORDER BY ${jobClaims.id}`,
  'claims that expired over a minute ago': sql`
    SELECT format('claim %s: job %s', ${jobClaims.id}, ${jobClaims.jobId}) AS words
    FROM ${jobClaims}
    WHERE ${jobClaims.expiresAt} <= ${NOW} - interval '1 minute'
    ORDER BY ${jobClaims.id}`,
  // A running server gives a free slot to the line within a second. So a free slot after a minute
  // without events is a fault.
  'jobs with a free slot for over a minute, although somebody waits': sql`
    SELECT format('job %s: %s of %s slots claimed, %s in line',
      ${jobs.id}, claimed, ${jobs.capacity}, waiting) AS words
    FROM (SELECT job_id, count(*) AS waiting FROM ${waitlist}
      WHERE claim_id IS NULL GROUP BY job_id) AS line
    JOIN ${jobs} ON ${jobs.id} = line.job_id
    CROSS JOIN LATERAL (SELECT count(*) AS claimed FROM ${jobClaims}
      WHERE ${jobClaims.jobId} = ${jobs.id}) AS held
    WHERE claimed < ${jobs.capacity} AND (SELECT ${events.at} FROM ${events}
      WHERE ${events.jobId} = ${jobs.id} ORDER BY ${events.number} DESC LIMIT 1)
      <= ${NOW} - interval '1 minute'
    ORDER BY ${jobs.id}`,
  'recruiters who wait for a job that they hold': sql`
    SELECT format('recruiter %s: job %s', ${waitlist.recruiterId}, ${waitlist.jobId}) AS words
    FROM ${waitlist} JOIN ${jobClaims} ON ${jobClaims.jobId} = ${waitlist.jobId}
      AND ${jobClaims.recruiterId} = ${waitlist.recruiterId}
    WHERE ${waitlist.claimId} IS NULL AND ${isLive} ORDER BY ${waitlist.id}`,
  'offers without their claim': sql`
    SELECT format('recruiter %s: job %s', ${waitlist.recruiterId}, ${waitlist.jobId}) AS words
    FROM ${waitlist} LEFT JOIN ${jobClaims} ON ${jobClaims.id} = ${waitlist.claimId}
    WHERE ${waitlist.claimId} IS NOT NULL AND ${jobClaims.id} IS NULL ORDER BY ${waitlist.id}`,
  // The keys are not shown, because anybody who knows a key could read its stored answer.
  'idempotency keys that expired over an hour ago': sql`
    SELECT format('expired at %s', ${idempotencyKeys.expiresAt}) AS words FROM ${idempotencyKeys}
    WHERE ${idempotencyKeys.expiresAt} <= ${NOW} - interval '1 hour'
    ORDER BY ${idempotencyKeys.expiresAt}`,
  // A dead task stays for a month. Because of the limit of one day, a doctor that runs every day
  // reports each dead task once.
  'tasks that died within the last day': sql`
    SELECT format('task %s: %s, %s attempts', ${tasks.id}, ${tasks.kind}, ${tasks.attempt}) AS words
    FROM ${tasks} WHERE ${tasks.ended} = 'dead'
      AND ${tasks.finishedAt} > ${NOW} - interval '1 day'
    ORDER BY ${tasks.id}`,
  // PostgreSQL checks foreign keys with triggers. These triggers can be disabled too.
  'triggers that are disabled': sql`
    SELECT format('%s on %s', tgname, tgrelid::regclass) AS words FROM pg_trigger
    WHERE tgenabled NOT IN ('O', 'A') AND tgrelid IN
      (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) ORDER BY words`,
  'triggers that are missing': sql`
    SELECT format('%s on %s', name, "table") AS words
    FROM jsonb_to_recordset(${JSON.stringify(expectedTriggers())}::text::jsonb)
      AS expected (name text, "table" text)
    WHERE NOT EXISTS (SELECT FROM pg_trigger
      WHERE tgname = name AND tgrelid = to_regclass(format('public.%I', "table")))
    ORDER BY words`,
};

const isLiving = sql`${workers.stoppedAt} IS NULL AND ${workers.leaseUntil} > ${NOW}`;

/** True if the lane pauses now, or if a pause in the last ten minutes explains why tasks wait. */
const isLaneResting = sql`EXISTS (SELECT FROM ${pausedLanes} WHERE ${pausedLanes.lane} = ${tasks.lane}
  AND ${pausedLanes.until} > ${NOW} - interval '10 minutes')`;

/**
 * The checks of a database with a living worker. Without a living worker, these checks would report
 * normal facts: tasks wait, and nobody marks a killed worker as stopped.
 */
const checksOfService: Record<string, SQL> = {
  // A task may wait for long behind the other tasks of its lane. A long wait is a fault only if no
  // task of the lane runs.
  'tasks due for over ten minutes in a lane where no task runs': sql`
    SELECT format('task %s: %s, due since %s', ${tasks.id}, ${tasks.kind}, ${tasks.runAt}) AS words
    FROM ${tasks} WHERE ${tasks.finishedAt} IS NULL AND ${tasks.leaseUntil} IS NULL
      AND ${tasks.runAt} <= ${NOW} - interval '10 minutes' AND NOT ${isLaneResting}
      AND NOT EXISTS (SELECT FROM ${tasks} AS other WHERE other.lane = ${tasks.lane}
        AND other.finished_at IS NULL AND other.lease_until > ${NOW})
    ORDER BY ${tasks.runAt}`,
  'tasks whose lease ended over a minute ago': sql`
    SELECT format('task %s: %s, lease until %s', ${tasks.id}, ${tasks.kind}, ${tasks.leaseUntil}) AS words
    FROM ${tasks} WHERE ${tasks.finishedAt} IS NULL
      AND ${tasks.leaseUntil} <= ${NOW} - interval '1 minute' AND NOT ${isLaneResting}
    ORDER BY ${tasks.id}`,
  'kinds of tasks that no living worker knows': sql`
    SELECT format('%s: %s tasks', ${tasks.kind}, count(*)) AS words
    FROM ${tasks} WHERE ${tasks.finishedAt} IS NULL
      AND ${tasks.runAt} <= ${NOW} - interval '1 minute'
      AND NOT EXISTS (SELECT FROM ${workers} WHERE ${isLiving} AND ${workers.kinds} ? ${tasks.kind})
    GROUP BY ${tasks.kind} ORDER BY ${tasks.kind}`,
  'workers that died over a minute ago and are not marked as stopped': sql`
    SELECT format('worker %s: %s, seen at %s', ${workers.id}, ${workers.name}, ${workers.seenAt}) AS words
    FROM ${workers} WHERE ${workers.stoppedAt} IS NULL
      AND ${workers.leaseUntil} <= ${NOW} - interval '1 minute'
    ORDER BY ${workers.id}`,
  'events that no relay has read for over ten minutes': sql`
    SELECT format('event %s: job %s, at %s', ${events.id}, ${events.jobId}, ${events.at}) AS words
    FROM ${unrelayed} JOIN ${events} ON ${events.id} = ${unrelayed.eventId}
    WHERE ${events.at} <= ${NOW} - interval '10 minutes'
    ORDER BY ${events.id}`,
};

/**
 * Runs all checks on one snapshot of the database, and changes nothing. `isServed` is false if no
 * worker can be running. Throws the errors of the database.
 */
export const diagnose = (db: Database, { isServed = true } = {}): Promise<Diagnosis> =>
  db.transaction((tx) => examine(tx, isServed), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });

/**
 * Checks a database without a server. First removes expired rows, because no server removes them,
 * and expired rows are no fault. Tasks that wait for a worker are no fault either.
 */
export async function diagnoseUnserved(db: Database, ages: Ages = {}): Promise<Diagnosis> {
  if ((await missingMigrations(db)).length === 0) await clearAll(db, ages);
  return diagnose(db, { isServed: false });
}

async function examine(tx: Transaction, isServed: boolean): Promise<Diagnosis> {
  const { missing, unknown, mayServe } = await readSchemaState(tx);
  const findings = [
    finding('migrations that are missing', missing.length, missing),
    finding('versions that are too old for the database', ...(mayServe ? NONE : TOO_OLD_HERE)),
  ];
  const notes = unknown > 0 && mayServe ? [NEWER] : [];
  const wanted = { ...checks, ...(isServed && checksOfService) };
  if (missing.length > 0 || !mayServe)
    return { healthy: false, findings, skipped: [PAUSED, ...Object.keys(wanted)], notes };
  findings.push(await lookForPause(tx));
  for (const [name, rows] of Object.entries(wanted)) findings.push(await look(tx, name, rows));
  const skipped = isServed ? [] : Object.keys(checksOfService);
  return { healthy: findings.every(({ total }) => total === 0), findings, skipped, notes };
}

const NONE: [number, string[]] = [0, []];
const TOO_OLD_HERE: [number, string[]] = [1, [TOO_OLD]];
const NEWER =
  'The database has migrations that this version does not know. This version may serve. To go back ' +
  'to this version, stop the newer servers. The database stays as it is.';

const PAUSED = 'restores whose tasks are paused';

async function lookForPause(tx: Transaction): Promise<Finding> {
  const words = pauseInWords(await readPast(tx));
  const examples = words === undefined ? [] : [`${words}; npm run restored shows what waits`];
  return finding(PAUSED, examples.length, examples);
}

async function look(tx: Transaction, name: string, wrong: SQL): Promise<Finding> {
  const rows = await tx.execute(
    sql`SELECT words, (count(*) OVER ())::int AS total FROM (${wrong}) AS wrong LIMIT ${MOST_EXAMPLES}`,
  );
  return finding(
    name,
    Number(rows[0]?.total ?? 0),
    rows.map(({ words }) => String(words)),
  );
}

const finding = (check: string, total: number, examples: string[]): Finding => ({
  check,
  total,
  examples: examples.slice(0, MOST_EXAMPLES),
});
