import type { Database } from '../../../platform/db/client.ts';
import type { Session } from '../../../platform/db/session.ts';
import {
  type Assessment,
  type Effect,
  type Ending,
  hasRunOut,
  sessionsIn,
  type Trial,
} from '../../chapter.ts';
import { EtcdKeys } from '../../stores/etcd.ts';
import { assertCanRun } from '../../stores/index.ts';
import { faultsOf, type TaskEnd } from './faults.ts';
import { MailServer } from './mail-server.ts';
import { race } from './race.ts';
import { hasNobodyWorked, isMisreported } from './reports.ts';
import type { QueueSituation } from './situations.ts';
import type { Outcome, QueueStrategy, Worker } from './strategy.ts';

/** The kind of production's tasks in this chapter. */
export const KIND = 'mail';
/**
 * A worker may call `work` once for each task, and this many times more. A worker that needs more
 * calls would never stop, so its strategy is faulty.
 */
const MORE = 3;

/** How many tasks with a permit may run at the same time. */
const PERMITS = 1;

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
      return judge(session, strategy, situation, mailServer, seen);
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

const query = async <Row>(admin: Session, text: string, params: unknown[] = []): Promise<Row[]> =>
  (await admin.run({ text, params, asArrays: false })) as unknown as Row[];

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

interface Row {
  id: number;
  isFinished: boolean;
  hasFailed: boolean;
  /**
   * The process ids of the backends that have finished the task. The first finisher comes first.
   */
  finishes: number[];
  counted: number;
  written: number;
  free: number;
  /** The state in the table, such as `running by W1`. */
  state: string | null;
  isDeleted: boolean;
}

/** Builds the query for the state of each task. A deleted task counts as finished. */
const END = (table: string, isFinished: string, hasFailed: string, state: string) => `
  select ids.id, coalesce(${isFinished}, true) as "isFinished",
    coalesce(${hasFailed}, false) as "hasFailed", coalesce(attempt, 0) as counted,
    ${state} as state, ${table}.id is null as "isDeleted",
    (select coalesce(json_agg(pid order by id), '[]') from lab_queue.finishes
      where task_id = ids.id) as finishes,
    (select count(*)::int from lab_queue.outbox where task_id = ids.id) as written,
    (select free from lab_queue.permits) as free
  from generate_series(1, $1) as ids (id) left join ${table} using (id) order by 1`;

/** The observations of a schedule that are neither in the tables nor in the mails. */
interface Seen {
  endings: Ending[];
  last: Ending | undefined;
  backends: readonly number[];
  senders: ReadonlySet<number>;
  wasSlow: boolean;
}

async function judge(
  admin: Session,
  { ofProduction, counts }: QueueStrategy,
  { tasks: count, kills, untilIdle }: QueueSituation,
  { mails }: MailServer,
  { endings, last, backends, senders, wasSlow }: Seen,
): Promise<Assessment> {
  const nameOfSession = (backend: number) => {
    const index = backends.indexOf(backend);
    if (index < 0) return undefined;
    return index < endings.length ? `S${index + 1}` : 'the worker afterwards';
  };
  const table = ofProduction
    ? END('public.tasks', 'finished_at is not null', "ended = 'dead'", "'held by W' || worker_id")
    : END(
        'lab_queue.tasks',
        "status in ('done', 'failed')",
        "status = 'failed'",
        "status || coalesce(' by ' || worker, '')",
      );
  const rows = await query<Row>(admin, table, [count]);
  const tasks = rows.map(({ id, isFinished, hasFailed, finishes, counted, written }): TaskEnd => {
    const sent = mails.filter(({ taskId }) => taskId === id);
    const accepted = sent.filter(({ isAccepted }) => isAccepted);
    return {
      isDoable: !kills,
      isFinished: isFinished || written > 0,
      hasFailed,
      finishes: finishes.length,
      mails: accepted.length + written,
      attempts: sent.length,
      counted: counts ? counted : undefined,
      isLate: accepted.some(({ isLate }) => isLate),
    };
  });
  const idle = endings.filter(isIdle).length;
  const free = rows[0]?.free ?? PERMITS;
  // With `untilIdle`, every worker ends when it is told that there is nothing to do. So here an
  // idle worker is no fault.
  const busy = untilIdle ? tasks.length : endings.length - idle;
  const finishers = new Set(rows.flatMap(({ finishes }) => finishes));
  const workers = endings.map((ending, index) => ({
    ...{ ending, hasSent: senders.has(index + 1) },
    hasFinished: finishers.has(backends[index] ?? 0),
  }));
  const hasOutbox = rows.some(({ written }) => written > 0);
  const isUnsigned = hasOutbox && finishers.size === 0;
  // At full speed, nobody knows the backends.
  const isKnown = backends.length > 0;
  const faults = faultsOf({
    ...{ tasks, idle, busy, free, permits: PERMITS },
    hasNobodyWorked: isKnown && !wasSlow && !hasOutbox && hasNobodyWorked(workers),
    isMisreported: isKnown && isMisreported({ workers, last, hasOutbox, isUnsigned }),
  });
  const excess = free > PERMITS ? `; ${free} permits are free, but there is only ${PERMITS}` : '';
  const ends = countEnds(tasks);
  const each = tasks.map((task, index) => say(task, rows[index] as Row, nameOfSession)).join('; ');
  const summary = tasks.length > MOST_NAMED ? sumUp(ends) : each;
  return { faults, summary: `${summary}${excess}`, counts: ends };
}

/** The maximum number of tasks that the summary names. A summary of more tasks only counts them. */
const MOST_NAMED = 4;

/** Counts the tasks by their end. A task with several faults counts only for the gravest. */
function countEnds(tasks: TaskEnd[]) {
  const ends = { once: 0, twice: 0, lost: 0, stuck: 0 };
  for (const { mails, isFinished } of tasks)
    if (mails > 1) ends.twice++;
    else if (!isFinished) ends.stuck++;
    else ends[mails === 1 ? 'once' : 'lost']++;
  return ends;
}

const sumUp = ({ once, ...wrong }: ReturnType<typeof countEnds>) =>
  [`${once} tasks done once`, race.words.sum(wrong)].filter(Boolean).join(', ');

const isIdle = (ending: Ending) =>
  'value' in ending && (ending.value as Outcome | undefined)?.kind === 'idle';

function say(
  { mails, isFinished, attempts, counted }: TaskEnd,
  { id, state, isDeleted, finishes }: Row,
  nameOfSession: (backend: number) => string | undefined,
) {
  const who = finishes.map(nameOfSession);
  const by = who.includes(undefined) ? '' : ` (by ${who.join(', then by ')})`;
  const often = finishes.length > 1 ? ` ${finishes.length} times${by}` : '';
  const finished = isDeleted ? 'deleted' : `finished${often}`;
  const end = isFinished ? finished : `unfinished (${state ?? 'not taken'})`;
  const isCounted = counted === undefined || counted >= attempts;
  const count = isCounted ? '' : `, ${counted} of ${attempts} attempts counted`;
  return `task ${id}: ${mails} ${mails === 1 ? 'mail' : 'mails'}, ${end}${count}`;
}
