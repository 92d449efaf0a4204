import type { Session } from '../../../platform/db/session.ts';
import type { Assessment, Ending } from '../../chapter.ts';
import { faultsOf, type TaskEnd } from './faults.ts';
import type { MailServer } from './mail-server.ts';
import { race } from './race.ts';
import { hasNobodyWorked, isMisreported } from './reports.ts';
import type { QueueSituation } from './situations.ts';
import type { Outcome, QueueStrategy } from './strategy.ts';

/** How many tasks with a permit may run at the same time. */
export const PERMITS = 1;

export const query = async <Found>(
  admin: Session,
  text: string,
  params: unknown[] = [],
): Promise<Found[]> => (await admin.run({ text, params, asArrays: false })) as unknown as Found[];

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
export interface Seen {
  endings: Ending[];
  last: Ending | undefined;
  backends: readonly number[];
  senders: ReadonlySet<number>;
  wasSlow: boolean;
}

/** Reads the tables at the end of a schedule, and finds the faults. */
export async function assess(
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
    hasNobodyWorked: isKnown && !wasSlow && !isUnsigned && hasNobodyWorked(workers),
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
