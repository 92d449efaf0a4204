import type { Session } from '../../../platform/db/session.ts';
import type { Mark, ShownState } from '../../chapter.ts';
import type { QueueStrategy } from './strategy.ts';

/**
 * The SQL expressions that build the name of a locked row, by table. The list of locks on the page
 * shows these names.
 */
export const lockable: Readonly<Record<string, string>> = {
  'lab_queue.tasks': "'task ' || id",
  'lab_queue.outbox': "'written mail ' || id",
  'public.tasks': "'task ' || id",
};

/** A task in the table of the strategy. */
interface Row {
  id: number;
  state: 'due' | 'running' | 'done' | 'deleted';
  /**
   * The number of the last worker. Null if no worker has taken the task, or if the strategy writes
   * no name.
   */
  worker: number | null;
  attempt: number;
  finishes: number;
}

/**
 * Reads the committed tasks as marks. A task that was finished more than once is marked as excess.
 */
export async function readState(
  admin: Session,
  { ofProduction }: Pick<QueueStrategy, 'ofProduction'>,
): Promise<ShownState> {
  const text = ofProduction ? OF_PRODUCTION : OF_STRATEGIES;
  const rows = (await admin.run({ text, params: [], asArrays: false })) as unknown as Row[];
  const done = rows.filter(({ state }) => state === 'done' || state === 'deleted').length;
  return {
    marks: rows.map(markOf),
    summary: `${done} of ${rows.length} ${rows.length === 1 ? 'task' : 'tasks'} done`,
    detail: rows.map(say).join(' '),
    isWrong: rows.some(({ finishes }) => finishes > 1),
  };
}

const FINISHES = '(select count(*)::int from lab_queue.finishes where task_id = ids.id)';

/**
 * Reads the tasks of a strategy. The set-up also inserts the same ids into production's table, so
 * the query finds deleted tasks too.
 */
const OF_STRATEGIES = `
  select ids.id::int, coalesce(status, 'deleted') as state, coalesce(own.attempt, 0) as attempt,
    substring(worker from '\\d+$')::int as worker, ${FINISHES} as finishes
  from public.tasks ids left join lab_queue.tasks own on own.id = ids.id order by 1`;

const OF_PRODUCTION = `
  select id::int, attempt, worker_id::int as worker, ${FINISHES} as finishes,
    case when finished_at is not null then 'done' when lease_until is not null then 'running'
      else 'due' end as state
  from public.tasks ids order by 1`;

const markOf = ({ state, worker, finishes }: Row): Mark => ({
  by: state === 'due' ? 'nobody' : (worker ?? 'earlier'),
  label: state,
  isExcess: finishes > 1,
});

function say({ id, state, worker, attempt, finishes }: Row): string {
  const by = state !== 'due' && worker !== null ? ` by worker ${worker}` : '';
  const often = finishes > 1 ? `, finished ${finishes} times` : '';
  return `Task ${id}: ${state}${by}${attempt > 0 ? `, attempt ${attempt}` : ''}${often}.`;
}
