import { Counter, Histogram, type Registry } from 'prom-client';
import type { QueueFigures } from '../../queue/queries.ts';
import type { Worker, WorkerEvent } from '../../queue/worker/worker.ts';

/** The buckets for attempts, in seconds. A webhook waits up to 15 s for its receiver. */
const ATTEMPT_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];
/**
 * The buckets for the time until a claim, in seconds. A busy worker tries to claim every 0.1 s, and
 * an idle worker every one or two seconds. A lease lasts 15 s.
 */
const PICK_UP_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const CLAIM_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * Adds a metric. Each request for the metrics calls `read`. If `read` returns undefined, the answer
 * leaves the metric out.
 */
export type AddGauge = (
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
) => void;

/**
 * Makes the metrics of the queue. The label `kind` has only kinds that this version knows, so the
 * number of series is limited.
 */
export function createTaskMetrics(registers: Registry[], gauge: AddGauge) {
  const attempts = new Counter({
    name: 'rowlock_task_attempts_total',
    help: 'Attempts of this process that ended, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const takenOver = new Counter({
    name: 'rowlock_tasks_taken_over_total',
    help: 'Tasks that this process claimed after the lease of another attempt had ended.',
    registers,
  });
  const claims = new Histogram({
    name: 'rowlock_task_claim_seconds',
    help: 'Time of a claim of due tasks, by how many tasks it found: all that were wanted, some or none.',
    labelNames: ['found'],
    buckets: CLAIM_SECONDS,
    registers,
  });
  const duration = new Histogram({
    name: 'rowlock_task_duration_seconds',
    help: 'Time from the claim of a task until its outcome was written, by kind.',
    labelNames: ['kind'],
    buckets: ATTEMPT_SECONDS,
    registers,
  });
  const pickUp = new Histogram({
    name: 'rowlock_task_pick_up_seconds',
    help: 'Time from the moment when a task was due until its claim.',
    buckets: PICK_UP_SECONDS,
    registers,
  });
  return {
    /** Counts an event of the worker. */
    observe(event: WorkerEvent) {
      switch (event.kind) {
        case 'claimed':
          return claims.observe({ found: foundBy(event) }, event.seconds);
        case 'began':
          if (event.waitedSeconds === undefined) return takenOver.inc();
          return pickUp.observe(event.waitedSeconds);
        case 'ended':
          attempts.inc({ kind: event.task, outcome: event.how });
          return duration.observe({ kind: event.task }, event.seconds);
      }
    },
    /** Shows how many tasks the worker runs. */
    worker(load: Worker['load']) {
      gauge('rowlock_worker_running', 'Tasks that the worker runs.', () => load().running);
      gauge('rowlock_worker_places', 'Tasks that the worker can run at once.', () => load().places);
    },
    /**
     * Shows the figures of the queue in the database. If the database does not answer, `read`
     * returns undefined, and the answer leaves the figures out.
     */
    queue(read: () => Promise<QueueFigures | undefined>) {
      const figure = (name: string, help: string, which: keyof QueueFigures) =>
        gauge(name, help, async () => (await read())?.[which]);
      figure('rowlock_tasks_waiting', 'Tasks that are due and not claimed.', 'waiting');
      figure('rowlock_tasks_later', 'Tasks that will be due later.', 'later');
      figure('rowlock_tasks_running', 'Tasks that a worker holds.', 'running');
      figure('rowlock_tasks_dead', 'Tasks without attempts left.', 'dead');
      figure(
        'rowlock_oldest_waiting_task_seconds',
        'How long the oldest waiting task has been due.',
        'oldestWaitingSeconds',
      );
    },
  };
}

const foundBy = ({ tasks, wanted }: { tasks: number; wanted: number }): 'all' | 'some' | 'none' => {
  if (tasks === 0) return 'none';
  return tasks < wanted ? 'some' : 'all';
};
