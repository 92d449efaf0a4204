import { engineFaults, type Fault, type Pledge } from '../../chapter.ts';

const twice: Fault = {
  name: 'twice',
  fact: 'no task is done twice',
  inWords: 'did a task twice',
  verdict: 'does a task twice',
  dare: 'Can you make it send a mail twice?',
};
const lost: Fault = {
  name: 'lost',
  fact: 'no task is lost',
  inWords: 'lost a task',
  verdict: 'loses a task',
  dare: 'Can you lose the task?',
};
const stuck: Fault = {
  name: 'stuck',
  fact: 'no task is left unfinished for ever',
  inWords: 'left a task unfinished',
  verdict: 'leaves a task unfinished',
  dare: 'Can you leave the task unfinished for ever?',
};
const exceeded: Fault = {
  name: 'exceeded',
  fact: 'no more tasks may run at once than the limit allows',
  inWords: 'exceeded the limit on running tasks',
  verdict: 'exceeds the limit on running tasks',
  dare: 'Can you run more tasks at once than the limit allows?',
};
const overwritten: Fault = {
  name: 'overwritten',
  fact: 'no outcome is written over another outcome',
  inWords: 'wrote an outcome over another',
  verdict: 'overwrites an outcome',
  dare: 'Can you write one outcome over another?',
};
/**
 * The mail was sent, but the task counts as failed. A person who reads `failed` may do the task
 * again by hand.
 */
const untrue: Fault = {
  name: 'untrue',
  fact: 'no task counts as failed though its mail was sent',
  inWords: 'marked a sent task as failed',
  verdict: 'marks a sent task as failed',
  dare: 'Can you make a sent mail count as failed?',
};
const late: Fault = {
  name: 'late',
  fact: 'no task is done without its lease',
  inWords: 'did a task without its lease',
  verdict: 'works without its lease',
  dare: 'Can you make a worker do a task without its lease?',
};
const idle: Fault = {
  name: 'idle',
  fact: 'no worker is told that there is nothing to do while a task is due',
  inWords: 'left a worker idle',
  verdict: 'leaves a worker idle',
  dare: 'Can you leave a worker idle while a task is due?',
};
const miscounted: Fault = {
  name: 'miscounted',
  fact: 'every attempt is counted',
  inWords: 'did not count an attempt',
  verdict: 'miscounts attempts',
  dare: 'Can you start an attempt that is never counted?',
  option: { name: 'counts', code: 'counts: true' },
};

const misreported: Fault = {
  name: 'misreported',
  fact: 'each worker says what it has done',
  inWords: 'had a worker that misreported its work',
  verdict: 'misreports its work',
  dare: 'Can you make a worker say something that is not true?',
};

const { deadlock, hang, error } = engineFaults;

export const faults: readonly [Fault, ...Fault[]] = [
  twice,
  lost,
  stuck,
  deadlock,
  exceeded,
  overwritten,
  untrue,
  late,
  idle,
  miscounted,
  misreported,
  hang,
  error,
];

export const promises = {
  once: { inWords: 'to do each task once', brokenBy: [twice, lost, stuck] },
} as const satisfies Record<string, Pledge>;

/** The state of one task after the end of a schedule. */
export interface TaskEnd {
  /** Whether a worker survives the task. Some tasks kill every worker. */
  isDoable: boolean;
  isFinished: boolean;
  /** Whether the table says that the task has failed for good. */
  hasFailed: boolean;
  /** How often the outcome was written. */
  finishes: number;
  /** How many mails of this task have been accepted. */
  mails: number;
  /** How often a worker sent the mail. A refused mail counts too. */
  attempts: number;
  /** How many attempts the strategy has counted. Undefined if the strategy does not count. */
  counted: number | undefined;
  /** Whether a mail was accepted from a worker that did not hold the task any more. */
  isLate: boolean;
}

export interface WorkEnd {
  tasks: TaskEnd[];
  /** How many sessions were told that there is nothing to do, and how many were not. */
  idle: number;
  busy: number;
  /** Whether all workers ended with an answer, none of them was slow, and no worker did a task. */
  hasNobodyWorked: boolean;
  /** Whether a worker said something else than it had done. */
  isMisreported: boolean;
  /** How many permits are free, and how many permits there are. */
  free: number;
  permits: number;
}

export function faultsOf(end: WorkEnd): string[] {
  const { tasks, idle: idlers, busy, free, permits, hasNobodyWorked, isMisreported } = end;
  const doable = tasks.filter(({ isDoable }) => isDoable);
  const found: [Fault, boolean][] = [
    [twice, tasks.some(({ mails }) => mails > 1)],
    [lost, doable.some(({ isFinished, mails }) => isFinished && mails === 0)],
    [stuck, doable.some(({ isFinished }) => !isFinished)],
    [exceeded, free > permits],
    [overwritten, tasks.some(({ finishes }) => finishes > 1)],
    [untrue, tasks.some(({ hasFailed, mails }) => hasFailed && mails > 0)],
    [late, tasks.some(({ isLate }) => isLate)],
    // A session takes at most one task. If there are more tasks than busy sessions, nobody has
    // taken one of the tasks. This task was due when the idle session was told that there is
    // nothing to do.
    [idle, (idlers > 0 && tasks.length > busy) || hasNobodyWorked],
    [
      miscounted,
      tasks.some(({ attempts, counted }) => counted !== undefined && counted < attempts),
    ],
    [misreported, isMisreported],
  ];
  return found.filter(([, isFound]) => isFound).map(([{ name }]) => name);
}
