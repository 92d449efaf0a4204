import type { AttemptEnd } from '../../../src/service/queue/tables.ts';
import type { Finding } from '../ledger.ts';
import type { Change } from './trail.ts';

/** A row of `task_attempts`. */
export interface AttemptRow {
  taskId: string;
  attempt: number;
  ended: AttemptEnd;
}

/** The state of a task at the end. */
export interface TaskRow {
  id: string;
  attempt: number;
  ended: string | null;
}

/** The end of an attempt, according to the trail. */
type End = 'done' | 'failed' | 'given back' | 'lost';

/** The findings in a trail, and the ends of all attempts. */
export interface TrailReport {
  findings: Finding[];
  /** The end of each attempt. The key names the task and the number of the attempt. */
  ends: Map<string, End>;
}

/**
 * Judges every change of every task. `operator` is the account of the scenario itself. This account
 * may make tasks due and retry tasks, as a person may.
 */
export function judgeTrail(changes: Iterable<Change>, operator: string): TrailReport {
  const told: TrailReport = { findings: [], ends: new Map() };
  const holders = new Map<string, string>();
  for (const change of changes) {
    const { taskId, by, before, after } = change;
    if (after.attempt !== before.attempt) {
      judgeClaim(change, told);
      holders.set(taskId, by);
    } else if (by !== operator) judgeWrite(change, holders.get(taskId), told);
  }
  return told;
}

function judgeClaim(change: Change, { findings, ends }: TrailReport) {
  const { taskId, before, after, wasHeld } = change;
  const find = (what: string) =>
    findings.push({ promise: 'each task has one holder', what: `task ${taskId}: ${what}` });
  const { attempt } = after;
  if (before.ended !== null) find(`attempt ${attempt} began after the task was ${before.ended}`);
  if (before.isLeased && wasHeld)
    find(`attempt ${attempt} began while attempt ${before.attempt} held the task`);
  if (attempt !== before.attempt + 1) find(`attempt ${attempt} followed attempt ${before.attempt}`);
  if (after.attemptsLeft !== before.attemptsLeft - 1)
    findings.push(miscounted(change, 'beginning'));
  if (before.isLeased) ends.set(nameOf(taskId, before.attempt), 'lost');
}

/** Judges a renewal or an outcome. Only the account that began the attempt may write them. */
function judgeWrite(change: Change, holder: string | undefined, { findings, ends }: TrailReport) {
  const { taskId, by, before, after } = change;
  const { attempt } = after;
  const name = nameOf(taskId, attempt);
  const isOver = !after.isLeased;
  if (before.isLeased && isOver && isSweep(change)) return void ends.set(name, 'lost');
  if (!before.isLeased || by !== holder)
    findings.push({
      promise: 'only the holder writes an outcome',
      what: `task ${taskId}: ${by} wrote ${written(change)} over ${former(change, holder)}`,
    });
  const given = after.attemptsLeft - before.attemptsLeft;
  if (given !== 0 && !(given === 1 && isOver && after.ended === null))
    findings.push(miscounted(change, 'end'));
  if (isOver) ends.set(name, endOf(change));
}

/** Returns whether the change ends a task whose last attempt was lost. Any worker may do this. */
const isSweep = ({ before, after, wasHeld }: Change) =>
  !wasHeld && before.attemptsLeft === 0 && after.ended === 'dead';

function endOf({ before, after }: Change): End {
  if (after.ended === 'done') return 'done';
  return after.attemptsLeft > before.attemptsLeft ? 'given back' : 'failed';
}

const written = ({ after }: Change) => (after.isLeased ? 'a lease' : (after.ended ?? 'a failure'));

const former = ({ before }: Change, holder: string | undefined) =>
  before.isLeased
    ? `attempt ${before.attempt} of ${holder}`
    : `a task that ${before.ended ? `is ${before.ended}` : 'waits'} after attempt ${before.attempt}`;

const miscounted = ({ taskId, before, after }: Change, moment: 'beginning' | 'end'): Finding => ({
  promise: 'each attempt ends once',
  what: `task ${taskId}: attempt ${after.attempt} left ${after.attemptsLeft} of ${before.attemptsLeft} attempts at its ${moment}`,
});

/**
 * Compares the recorded attempts with the trail. Every attempt must have one end, and the same end
 * must be recorded.
 */
export function judgeAttempts(
  tasks: TaskRow[],
  rows: AttemptRow[],
  ends: TrailReport['ends'],
): Finding[] {
  const findings: Finding[] = [];
  const recorded = new Map(rows.map((row) => [nameOf(row.taskId, row.attempt), row.ended]));
  const find = (what: string) => findings.push({ promise: 'each attempt ends once', what });
  for (const { id, attempt, ended } of tasks) {
    if (ended !== 'done')
      findings.push({
        promise: 'no task is stuck',
        what: `task ${id} is ${ended ?? 'not finished'}`,
      });
    for (let number = 1; number <= attempt; number++) {
      const name = nameOf(id, number);
      const end = ends.get(name);
      const row = recorded.get(name);
      recorded.delete(name);
      if (end === undefined) find(`${name} has no end`);
      else if (row !== (end === 'done' ? undefined : end))
        find(`${name} ended ${end}, and is recorded as ${row ?? 'nothing'}`);
    }
  }
  for (const name of recorded.keys()) find(`${name} is recorded, and never began`);
  return findings;
}

/** The number of the receiver's answers that the attempts of a task have recorded. */
export interface AnswersRow {
  taskId: string;
  answers: number;
}

/**
 * Finds tasks with too many recorded answers. An attempt records its answer together with its
 * outcome, so a lost attempt records no answer.
 */
export function judgeAnswers(
  tasks: TaskRow[],
  rows: AnswersRow[],
  ends: TrailReport['ends'],
): Finding[] {
  const attemptsOf = new Map(tasks.map(({ id, attempt }) => [id, attempt]));
  return rows.flatMap(({ taskId, answers }) => {
    const numbers = Array.from({ length: attemptsOf.get(taskId) ?? 0 }, (_, index) => index + 1);
    const written = numbers.filter((number) => {
      const end = ends.get(nameOf(taskId, number));
      return end === 'done' || end === 'failed';
    });
    if (answers <= written.length) return [];
    const what = `task ${taskId} has ${answers} answers of ${written.length} attempts with an outcome`;
    return [{ promise: 'only the holder writes an outcome', what }];
  });
}

const nameOf = (taskId: string, attempt: number) => `attempt ${attempt} of task ${taskId}`;
