import type { Stage } from '../../explorer/stage.ts';
import { arrayOf } from '../../platform/db/array-text.ts';
import type { Session } from '../../platform/db/session.ts';
import type { Chapter } from '../chapter.ts';

/** A lock that a session's open transaction holds. */
export interface HeldLock {
  session: number;
  kind: 'row' | 'advisory' | 'table' | 'predicate';
  /** The locked object, such as `job 1`. */
  what: string;
  /** The mode of the lock in PostgreSQL's words, such as `FOR UPDATE`. */
  mode: string;
}

export interface Locks {
  held: HeldLock[];
  /**
   * False if the server has no pgrowlocks. Then we cannot read row locks, since PostgreSQL stores
   * them in the rows.
   */
  rowsShown: boolean;
}

/** Reads the locks of the backends `pids`. The first backend belongs to session 1, and so on. */
export async function readLocks(
  stage: Stage,
  { lockable }: Chapter,
  pids: number[],
): Promise<Locks> {
  const rowsShown = await (installed.get(stage.admin) ?? install(stage));
  const text = [...(rowsShown ? rowLocks(lockable) : []), OTHER_LOCKS].join(' union all ');
  const rows = await stage.run(`select * from (${text}) held ${IN_ORDER}`, [arrayOf(pids)]);
  const held = (rows as unknown as Row[]).map(({ pid, kind, what, mode }) => {
    return { session: pids.indexOf(pid) + 1, kind, what, mode: MODES[mode] ?? mode };
  });
  return { held, rowsShown };
}

type Row = Omit<HeldLock, 'session'> & { pid: number };

/** Whether the database of an admin session has the extension pgrowlocks. */
const installed = new WeakMap<Session, Promise<boolean>>();

function install(stage: Stage): Promise<boolean> {
  const done = stage.run('create extension if not exists pgrowlocks').then(
    () => true,
    () => false,
  );
  installed.set(stage.admin, done);
  return done;
}

/** Translates the lock modes that PostgreSQL reports into the words that we show. */
const MODES: Record<string, string> = {
  'For Key Share': 'FOR KEY SHARE',
  'For Share': 'FOR SHARE',
  'For No Key Update': 'FOR NO KEY UPDATE',
  'For Update': 'FOR UPDATE',
  'No Key Update': 'FOR NO KEY UPDATE, and has updated it',
  Update: 'FOR UPDATE, and has updated or deleted it',
  SIReadLock: 'SIRead',
};

/**
 * Returns a query for each table. A locked row stores the ids of its lockers, and pgrowlocks reads
 * these ids. pg_locks lists only the sessions that wait for a row.
 */
const rowLocks = (lockable: Chapter['lockable']) =>
  Object.entries(lockable).map(
    ([table, name]) => `select locker.pid, 'row' as kind, ${name} as what, locker.mode
      from ${table} join pgrowlocks('${table}') row on row.locked_row = ${table}.ctid,
        unnest(row.pids, row.modes) as locker (pid, mode)
      where locker.pid = any($1::int[])`,
  );

/**
 * Reads all locks except row locks. Leaves out the table locks that every statement takes, and
 * predicate locks of ended transactions.
 */
const OTHER_LOCKS = `
  select pid, 'advisory', 'number ' || (classid::bigint << 32 | objid::bigint), mode
    from pg_locks where locktype = 'advisory' and granted and pid = any($1::int[])
  union all
  select pid, 'table', relation::regclass::text, mode
    from pg_locks join pg_class on pg_class.oid = relation and relkind = 'r'
    where locktype = 'relation' and granted and pid = any($1::int[])
      and mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock', 'SIReadLock')
  union all
  select distinct pid, 'predicate', 'reads of ' || coalesce(indrelid, relation)::regclass, mode
    from pg_locks predicate left join pg_index on indexrelid = relation
    where mode = 'SIReadLock' and pid = any($1::int[]) and exists (
      select from pg_locks own where own.pid = predicate.pid and own.locktype = 'virtualxid'
        and own.virtualtransaction = predicate.virtualtransaction)`;

const IN_ORDER = `order by array_position($1::int[], pid),
  array_position('{row,advisory,table,predicate}', kind), what`;
