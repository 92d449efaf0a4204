import type { Database } from '../../../db/client.ts';
import type { Session } from '../../../db/session.ts';
import type { Assessment, Effect, Ending, Trial } from '../../chapter.ts';
import { faultsOf, type TaskEnd } from './faults.ts';
import { MailServer } from './mail-server.ts';
import type { QueueSituation } from './situations.ts';
import type { Outcome, QueueStrategy, Worker } from './strategy.ts';

/** The kind of production's tasks in this chapter. */
export const KIND = 'mail';
/** The most tasks that the worker afterwards takes. Only a faulty strategy gives it more. */
const MOST_AFTERWARDS = 4;

/** How many tasks with a permit may run at once. */
const PERMITS = 1;

/** Makes a trial in which each session is a worker that takes one task by this strategy. */
export function queueTrial(
  strategy: QueueStrategy,
  situation: QueueSituation,
  sessions: number,
): Trial {
  const { tasks, deaths, timePasses, kills, namesakes } = situation;
  const { oneProcess } = strategy;
  const count = situation.sessions ?? sessions;
  /** The process of each worker. */
  const processOf = Array.from({ length: count }, (_, index) => (oneProcess ? 1 : index + 1));
  const start = () => strategy.restart?.() ?? strategy.work;
  let processes: QueueStrategy['work'][] = [];
  let mailServer = new MailServer();
  let admin: Session;
  const makeWorker = (id: number, effect: Effect): Worker => {
    const name = nameOf(namesakes ? 1 : id);
    const holder = strategy.ofProduction ? id : name;
    return {
      id,
      name,
      async send(taskId, proof = {}) {
        const text = `send mail ${taskId}${inWords(proof)}`;
        if (kills) await effect({ text, kills }, () => mailServer.miss(taskId));
        await effect(text, async () => {
          const isLate = strategy.timed ? !(await holds(admin, strategy, taskId, holder)) : false;
          return mailServer.take(taskId, proof, isLate);
        });
      },
    };
  };
  const workIn = (process: number): QueueStrategy['work'] => {
    processes[process] ??= start();
    return processes[process];
  };
  const trial: Trial = {
    async setUp(session) {
      admin = session;
      mailServer = new MailServer();
      processes = [];
      await setUp(admin, tasks);
    },
    sessions: processOf.map(
      (process, index) => (db, _sleep, effect) =>
        workIn(process)(db, makeWorker(index + 1, effect)),
    ),
    processes: processOf,
    deaths: deaths ?? 0,
    timePasses: Boolean(strategy.timed && timePasses),
    afterwards: () => (db, _sleep, effect) => workOff(db, makeWorker(count + 1, effect)),
    judge: (session, endings) => judge(session, strategy, situation, mailServer, endings),
  };

  async function workOff(db: Database, worker: Worker) {
    const work = start();
    let outcome: Outcome = { kind: 'idle' };
    for (let times = 0; times < MOST_AFTERWARDS; times++) {
      outcome = await work(db, worker);
      if (outcome.kind === 'idle' || outcome.kind === 'full') break;
    }
    return outcome;
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

/** Ids are fixed, so a schedule prints the same transcript each time. */
const INSTALL_SET_UP = `
  create function pg_temp.set_up(count int) returns void language plpgsql as $$
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

/** Whether the worker holds the task now, by the lab's time. */
async function holds(
  admin: Session,
  { ofProduction }: QueueStrategy,
  taskId: number,
  worker: string | number,
): Promise<boolean> {
  const holder = ofProduction ? 'public.tasks where worker_id' : 'lab_queue.tasks where worker';
  const rows = await query(
    admin,
    `select from ${holder} = $2 and id = $1 and lease_until > lab_time.clock_timestamp()`,
    [taskId, worker],
  );
  return rows.length > 0;
}

interface Row {
  id: number;
  isFinished: boolean;
  finishes: number;
  counted: number;
  written: number;
  free: number;
}

/** A task counts as finished if its mail is in the outbox, or if the task was deleted. */
const END = (table: string, isFinished: string) => `
  select ids.id, coalesce(${isFinished}, true) as "isFinished", coalesce(attempt, 0) as counted,
    (select count(*)::int from lab_queue.finishes where task_id = ids.id) as finishes,
    (select count(*)::int from lab_queue.outbox where task_id = ids.id) as written,
    (select free from lab_queue.permits) as free
  from generate_series(1, $1) as ids (id) left join ${table} using (id) order by 1`;

async function judge(
  admin: Session,
  { ofProduction, counts }: QueueStrategy,
  { tasks: count, kills }: QueueSituation,
  { mails }: MailServer,
  endings: Ending[],
): Promise<Assessment> {
  const table = ofProduction
    ? END('public.tasks', 'finished_at is not null')
    : END('lab_queue.tasks', "status in ('done', 'failed')");
  const rows = await query<Row>(admin, table, [count]);
  const tasks = rows.map(({ id, isFinished, finishes, counted, written }): TaskEnd => {
    const sent = mails.filter(({ taskId }) => taskId === id);
    const accepted = sent.filter(({ isAccepted }) => isAccepted);
    return {
      isDoable: !kills,
      isFinished: isFinished || written > 0,
      finishes,
      mails: accepted.length + written,
      attempts: sent.length,
      counted: counts ? counted : undefined,
      isLate: accepted.some(({ isLate }) => isLate),
    };
  });
  const idle = endings.filter(isIdle).length;
  const free = rows[0]?.free ?? PERMITS;
  const busy = endings.length - idle;
  const faults = faultsOf({ tasks, idle, busy, free, permits: PERMITS });
  const excess = free > PERMITS ? `; ${free} permits are free, and there is ${PERMITS}` : '';
  return { faults, summary: `${tasks.map(say).join('; ')}${excess}` };
}

const isIdle = (ending: Ending) =>
  'value' in ending && (ending.value as Outcome | undefined)?.kind === 'idle';

const say = ({ mails, isFinished }: TaskEnd, index: number) =>
  `task ${index + 1}: ${mails} ${mails === 1 ? 'mail' : 'mails'}, ${isFinished ? 'finished' : 'unfinished'}`;
