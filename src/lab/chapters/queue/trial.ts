import type { Database } from '../../../platform/db/client.ts';
import type { Session } from '../../../platform/db/session.ts';
import { type Effect, hasRunOut, sessionsIn, type Trial } from '../../chapter.ts';
import { EtcdKeys } from '../../stores/etcd.ts';
import { assertCanRun } from '../../stores/index.ts';
import { assess, PERMITS, query } from './assess.ts';
import { MailServer } from './mail-server.ts';
import type { QueueSituation } from './situations.ts';
import type { Outcome, QueueStrategy, Worker } from './strategy.ts';

/** The kind of production's tasks in this chapter. */
export const KIND = 'mail';
/**
 * A worker may call `work` once for each task, and this many times more. A worker that needs more
 * calls would never stop, so its strategy is faulty.
 */
const MORE = 3;

/** Makes a trial in which each session is a worker that takes tasks by this strategy. */
export function queueTrial(
  strategy: QueueStrategy,
  situation: QueueSituation,
  sessions: number,
): Trial {
  const { tasks, deaths, timePasses, kills, namesakes, untilIdle, hasPrologue = false } = situation;
  const { oneProcess } = strategy;
  const count = sessionsIn(situation, sessions);
  /** The number of the process of each worker. */
  const processOf = Array.from({ length: count }, (_, index) => (oneProcess ? 1 : index + 1));
  const start = () => strategy.restart?.() ?? strategy.work;
  let processes: QueueStrategy['work'][] = [];
  let mailServer = new MailServer();
  const etcd = new EtcdKeys();
  let admin: Session;
  /**
   * Whether the strategy uses leases. Becomes true when a mail is sent while its task has a lease.
   */
  let hasLeases = false;
  /** The numbers of the workers that have sent a mail. */
  let senders = new Set<number>();
  let hasTimePassed = false;
  /** Whether time passed before the end of all sessions. */
  let wasSlow = false;
  /**
   * Returns why the worker does not hold the task now. Returns undefined if the worker holds the
   * task.
   */
  const whyLate = async (taskId: number, id: number, name: string) => {
    if (!strategy.timed) return undefined;
    if (strategy.needs === 'etcd')
      return (await etcd.isHolding(id)) ? undefined : 'it has no key in etcd';
    const holder = strategy.ofProduction ? id : name;
    const { isLeased, isOwn, loss } = await leaseOf(admin, strategy, taskId, holder);
    hasLeases ||= isLeased;
    return hasLeases && !isOwn ? loss : undefined;
  };
  const makeWorker = (id: number, effect: Effect): Worker => {
    const name = nameOf(namesakes ? 1 : id);
    return {
      id,
      name,
      etcd: etcd.commandsBy(effect, id),
      async send(taskId, proof = {}) {
        senders.add(id);
        const text = `send mail ${taskId}${inWords(proof)}`;
        if (kills) await effect({ text, kills }, () => mailServer.miss(taskId));
        await effect(text, async () =>
          mailServer.take(taskId, proof, await whyLate(taskId, id, name)),
        );
      },
    };
  };
  const workIn = (process: number): QueueStrategy['work'] => {
    processes[process] ??= start();
    return processes[process];
  };
  const trial: Trial = {
    async setUp(session) {
      assertCanRun(strategy);
      admin = session;
      mailServer = new MailServer();
      hasLeases = false;
      senders = new Set();
      hasTimePassed = false;
      processes = [];
      await etcd.clear();
      await setUp(admin, tasks);
    },
    sessions: processOf.map((process, index) => (db, _sleep, effect) => {
      const worker = makeWorker(index + 1, effect);
      const work = workIn(process);
      return untilIdle ? workOff(work, db, worker) : work(db, worker);
    }),
    areIdentical: !hasPrologue,
    processes: processOf,
    hasPrologue,
    deaths: deaths ?? 0,
    timePasses: Boolean(strategy.timed && timePasses),
    passTime() {
      hasTimePassed = true;
      return etcd.passTime();
    },
    runOut: async (session) => [...(await leasesRunOut(session, strategy)), ...etcd.runOut()],
    assertIntact: () => etcd.assertIntact(),
    afterwards() {
      wasSlow = hasTimePassed;
      return (db, _sleep, effect) => workOff(start(), db, makeWorker(count + 1, effect));
    },
    async judge(session, endings, last, backends = []) {
      await etcd.clear();
      const seen = { endings, last, backends, senders, wasSlow };
      return assess(session, strategy, situation, mailServer, seen);
    },
  };

  async function workOff(work: QueueStrategy['work'], db: Database, worker: Worker) {
    const outcomes: Outcome[] = [];
    const hasEnded = () => ['idle', 'full'].includes(outcomes.at(-1)?.kind ?? '');
    while (!hasEnded() && outcomes.length < tasks + MORE) outcomes.push(await work(db, worker));
    return outcomes;
  }

  return trial;
}

const nameOf = (id: number) => `W${id}`;

const inWords = ({ id, token }: { id?: number; token?: number }) =>
  [
    id === undefined ? '' : ` with id ${id}`,
    token === undefined ? '' : ` with token ${token}`,
  ].join('');

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

async function setUp(admin: Session, count: number) {
  if (!installed.has(admin)) await query(admin, INSTALL_SET_UP);
  installed.add(admin);
  await query(admin, 'select pg_temp.set_up($1)', [count]);
}

/**
 * The SQL that makes the set-up function. The ids are fixed, so a schedule prints the same
 * transcript each time.
 */
const INSTALL_SET_UP = `
  create or replace function pg_temp.set_up(count int) returns void language plpgsql as $$
  begin
    delete from lab_queue.tasks;
    delete from lab_queue.outbox;
    delete from public.tasks;
    delete from public.task_attempts;
    delete from lab_queue.finishes;
    delete from lab_queue.nodes;
    delete from lab_queue.permits;
    insert into lab_queue.permits (id, free) values (1, ${PERMITS});
    insert into lab_queue.tasks (id) select generate_series(1, count);
    -- A read without ORDER BY returns rows in the order of their places. PostgreSQL uses the places of
    -- deleted rows again, so a later row may get an earlier place. A schedule would then run differently.
    if exists (
      select from (select ctid, lag(ctid) over (order by id) as before from lab_queue.tasks) as places
      where ctid < before
    ) then
      truncate lab_queue.tasks;
      insert into lab_queue.tasks (id) select generate_series(1, count);
    end if;
    insert into public.tasks (id, kind, payload, attempts_left)
      select id, '${KIND}', '{}', 3 from generate_series(1, count) id;
  end $$`;

/**
 * Whether the task has a lease, and whether this worker may hold the task now, by the lab's time.
 */
interface Lease {
  isLeased: boolean;
  isOwn: boolean;
  /** Why the lease does not belong to this worker, if `isOwn` is false. */
  loss: string;
}

/**
 * Reads the lease of a task. If the strategy does not write the name of the worker, each running
 * lease counts as this worker's lease.
 */
async function leaseOf(
  admin: Session,
  { ofProduction }: QueueStrategy,
  taskId: number,
  worker: string | number,
): Promise<Lease> {
  const [table, holder, name, end] = ofProduction ? OF_PRODUCTION : OF_STRATEGIES;
  const [row] = await query<Lease>(
    admin,
    `select lease_until is not null as "isLeased", coalesce(${holder} = $2, true)
      and coalesce(lease_until > lab_time.clock_timestamp(), false) as "isOwn",
      case when lease_until is null then 'task ' || id || ' has no lease' || coalesce(', and is ' || ${end}, '')
        when ${holder} <> $2 then ${name} || ' has taken the lease'
        else 'the time of the lease is over' end as loss
    from ${table} where id = $1`,
    [taskId, worker],
  );
  return row ?? { isLeased: false, isOwn: false, loss: `task ${taskId} is deleted` };
}

/** SQL for the table, the holder of a task, the name of the holder, and the status of the task. */
const OF_PRODUCTION = ['public.tasks', 'worker_id', "'W' || worker_id", 'ended'] as const;
const OF_STRATEGIES = ['lab_queue.tasks', 'worker', 'worker', 'status'] as const;

/**
 * Returns a line for each lease, and for each sign of life of a node, that ended when time passed.
 * Leases of finished tasks do not count.
 */
async function leasesRunOut(admin: Session, { ofProduction }: QueueStrategy): Promise<string[]> {
  const [table, , name] = ofProduction ? OF_PRODUCTION : OF_STRATEGIES;
  const isUnfinished = ofProduction ? 'finished_at is null' : "status not in ('done', 'failed')";
  const rows = await query<{ ends: string }>(
    admin,
    `select coalesce('the lease of ' || ${name}, 'the lease') || ' on task ' || id || ' ends' as ends
      from ${table} where ${isUnfinished} and ${hasRunOut('lease_until')}
    union all
    select 'node ' || name || ' is not seen any more'
      from lab_queue.nodes where ${hasRunOut('seen_until')}
    order by 1`,
  );
  return rows.map(({ ends }) => ends);
}
