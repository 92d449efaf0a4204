import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import { idsIn } from '../../platform/db/array-text.ts';
import { anyOf } from '../../platform/db/arrays.ts';
import type { Database } from '../../platform/db/client.ts';
import { claimEventKinds, type EventKind, events } from './tables.ts';

/** The events that a reader has seen. */
export interface Seen {
  /**
   * The name of a run of the database server. The name changes when the server starts or recovers.
   */
  server: string;
  /** The snapshot of the last read, as PostgreSQL writes it. */
  snapshot: string;
}

/**
 * Identifies a run of the server. A server that recovers from a crash keeps its start time, but
 * resets its statistics. After a crash, the server may reuse transaction ids of uncommitted
 * transactions.
 */
const SERVER = sql`concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
  (select extract(epoch from stats_reset) from pg_stat_bgwriter))`;

/**
 * Returns the state of a new reader. The reader counts every event that is already committed as
 * seen.
 */
export async function seenNow(db: Database): Promise<Seen> {
  const [seen] = await db.execute<{ server: string; snapshot: string }>(
    sql`select ${SERVER} as server, pg_current_snapshot()::text as snapshot`,
  );
  if (!seen) throw new Error('SELECT without FROM gave no row');
  return seen;
}

export interface News {
  seen: Seen;
  /** The jobs of the new events. Undefined if the reader must read all jobs again. */
  jobIds: bigint[] | undefined;
}

/**
 * Finds the jobs of all events that were committed since the last read. `jobIds` is undefined if
 * there are more than `most` new events, or if another run of the server answers.
 *
 * The last snapshot did not see two kinds of transactions. The first kind has an id that is not
 * below the xmax of the snapshot. The second kind is in the snapshot's list of running
 * transactions. An event of such a transaction is new if we see the event now. So each event is new
 * in exactly one read, whenever its transaction commits. The reader waits for no transaction.
 */
export async function readNews(db: Database, seen: Seen, most: number): Promise<News> {
  const before = sql`${seen.snapshot}::text::pg_snapshot`;
  // Restored events have the transaction ids of another cluster. These ids may be higher than all
  // ids of this cluster, so the first condition has an upper limit too. ORDER BY makes PostgreSQL
  // use the index for every value of the parameters.
  const [row] = await db.execute<NewsRow>(sql`
    select ${SERVER} as server, pg_current_snapshot()::text as snapshot,
      (array_agg(distinct job_id))::text as job_ids, count(*)::int as many
    from ((
      select job_id from ${events}
      where xid >= pg_snapshot_xmax(${before}) and xid < pg_snapshot_xmax(pg_current_snapshot())
      order by xid limit ${most + 1})
    union all (
      select job_id from ${events}
      where xid = any(array(select pg_snapshot_xip(${before})))
      limit ${most + 1})) as new`);
  if (!row) throw new Error('an aggregate gave no row');
  const { server, snapshot, job_ids, many } = row;
  const isWhole = server === seen.server && many <= most;
  return { seen: { server, snapshot }, jobIds: isWhole ? idsIn(job_ids) : undefined };
}

/** A row as the driver returns it. */
type NewsRow = Record<'server' | 'snapshot', string> & { job_ids: string | null; many: number };

export interface ClaimEvent {
  kind: (typeof claimEventKinds)[number];
  at: Date;
  claimId: bigint;
  recruiterId: bigint;
  expiresAt: Date | null;
  jobId: bigint;
  role: string;
  capacity: number;
  claimed: number;
}

/**
 * Reads the events about the claims of these recruiters, in the order in which they were appended.
 * Returns only the events that the snapshot `after` sees and the snapshot `before` does not see.
 * The snapshots come from two reads of `readNews`, so these events are a part of the same news.
 */
export async function readClaimEvents(
  db: Database,
  { before, after }: Record<'before' | 'after', Seen>,
  recruiterIds: readonly bigint[],
): Promise<ClaimEvent[]> {
  const from = sql`${before.snapshot}::text::pg_snapshot`;
  const to = sql`${after.snapshot}::text::pg_snapshot`;
  const rows = await db
    .select({
      kind: events.kind,
      at: events.at,
      claimId: events.claimId,
      recruiterId: events.recruiterId,
      expiresAt: events.expiresAt,
      jobId: events.jobId,
      role: events.role,
      capacity: events.capacity,
      claimed: events.claimed,
    })
    .from(events)
    .where(
      and(
        // A long transaction keeps the `xmin` of a snapshot old, so a search from `xmin` on would
        // read old events too. These two conditions read only the news.
        sql`((${events.xid} >= pg_snapshot_xmax(${from}) and ${events.xid} < pg_snapshot_xmax(${to}))
          or ${events.xid} = any(array(select pg_snapshot_xip(${from}))))`,
        sql`pg_visible_in_snapshot(${events.xid}, ${to})`,
        anyOf(events.recruiterId, recruiterIds),
        inArray(events.kind, claimEventKinds),
      ),
    )
    .orderBy(asc(events.id));
  return rows as ClaimEvent[];
}

export interface JobEvent {
  number: number;
  waiting: number | null;
  kind: EventKind;
  at: Date;
  claimId: bigint | null;
  recruiterId: bigint | null;
  expiresAt: Date | null;
  role: string;
  capacity: number;
  claimed: number;
}

/**
 * Lists at most `limit` events of a job, in the order of their numbers, after the number `cursor`.
 */
export const listEvents = (
  db: Database,
  jobId: bigint,
  { cursor = 0n, limit }: { cursor?: bigint | undefined; limit: number },
): Promise<JobEvent[]> =>
  db
    .select({
      number: events.number,
      waiting: events.waiting,
      kind: events.kind,
      at: events.at,
      claimId: events.claimId,
      recruiterId: events.recruiterId,
      expiresAt: events.expiresAt,
      role: events.role,
      capacity: events.capacity,
      claimed: events.claimed,
    })
    .from(events)
    .where(and(eq(events.jobId, jobId), gt(events.number, sql`${cursor}::bigint`)))
    .orderBy(asc(events.number))
    .limit(limit);

/** Finds the company of a job's newest event. Returns undefined if the job has no events. */
export async function companyOfEvents(db: Database, jobId: bigint): Promise<bigint | undefined> {
  const [newest] = await db
    .select({ companyId: events.companyId })
    .from(events)
    .where(eq(events.jobId, jobId))
    .orderBy(desc(events.number))
    .limit(1);
  return newest?.companyId;
}
