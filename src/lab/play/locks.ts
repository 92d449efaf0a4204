import { arrayOf } from '../../db/arrays.ts';
import type { Session } from '../../db/session.ts';
import type { Stage } from '../explore/stage.ts';

/** A lock that a session's open transaction holds, as PostgreSQL has it. */
export interface HeldLock {
  session: number;
  kind: 'row' | 'advisory' | 'table' | 'predicate';
  /** What is locked, such as `job 1`. */
  what: string;
  /** In PostgreSQL's words, such as `FOR UPDATE`. */
  mode: string;
}

export interface Locks {
  held: HeldLock[];
  /** False where the server lacks pgrowlocks: only a row itself knows who has locked it. */
  rowsShown: boolean;
}

/** The locks of the backends `pids`, which are those of the sessions from 1. */
export async function readLocks(stage: Stage, pids: number[]): Promise<Locks> {
  const rowsShown = await (installed.get(stage.admin) ?? install(stage));
  const text = rowsShown ? `${ROW_LOCKS} union all ${OTHER_LOCKS}` : OTHER_LOCKS;
  const rows = await stage.run(`select * from (${text}) held ${IN_ORDER}`, [arrayOf(pids)]);
  const held = (rows as unknown as Row[]).map(({ pid, kind, what, mode }) => {
    return { session: pids.indexOf(pid) + 1, kind, what, mode: MODES[mode] ?? mode };
  });
  return { held, rowsShown };
}

type Row = Omit<HeldLock, 'session'> & { pid: number };

/** The admin sessions whose database has, or cannot have, the extension. */
const installed = new WeakMap<Session, Promise<boolean>>();

function install(stage: Stage): Promise<boolean> {
  const done = stage.run('create extension if not exists pgrowlocks').then(
    () => true,
    () => false,
  );
  installed.set(stage.admin, done);
  return done;
}

/** pgrowlocks' words in those of the manual's chapter on row-level locks. */
const MODES: Record<string, string> = {
  'For Key Share': 'FOR KEY SHARE',
  'For Share': 'FOR SHARE',
  'For No Key Update': 'FOR NO KEY UPDATE',
  'For Update': 'FOR UPDATE',
  'No Key Update': 'FOR NO KEY UPDATE, and has updated it',
  Update: 'FOR UPDATE, and has updated or deleted it',
  SIReadLock: 'SIRead',
};

const LOCKABLE = {
  jobs: "'job ' || id",
  job_claims: "'claim of recruiter ' || recruiter_id",
  recruiters: "'recruiter ' || id",
  companies: "'company ' || id",
  'lab.counters': "'counter of job ' || job_id",
  'lab.slots': "'slot ' || slot || ' of job ' || job_id",
  'lab.taken_slots': "'taken slot ' || slot || ' of job ' || job_id",
  'lab.leases': "'lease of job ' || job_id",
};

/** A locked row names its lockers, one or several, in itself; pg_locks knows only who waits for it. */
const ROW_LOCKS = Object.entries(LOCKABLE)
  .map(
    ([table, name]) => `select locker.pid, 'row' as kind, ${name} as what, locker.mode
      from ${table} join pgrowlocks('${table}') row on row.locked_row = ${table}.ctid,
        unnest(row.pids, row.modes) as locker (pid, mode)
      where locker.pid = any($1::int[])`,
  )
  .join(' union all ');

/** Without what every statement takes of its tables; predicate locks of the open transaction alone. */
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
