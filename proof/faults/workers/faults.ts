import { until } from '../../waiting/until.ts';
import { onDatabase } from '../audit.ts';
import type { Dice } from '../dice.ts';
import type { Stage } from '../scenario.ts';
import type { Crew } from './crew.ts';
import { freeze } from './freeze.ts';
import { hasLostAll, holdsUp, lockDueTask, terminate } from './queries.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A fault under the workers. */
export const workerFaults = ['kill', 'terminate', 'freeze', 'stall', 'lock', 'crash'] as const;
export type WorkerFault = (typeof workerFaults)[number];

/** How many tasks there are for each fault. 20,000 tasks have 200 kills, and five crashes. */
const TASKS_PER: Record<WorkerFault, number> = {
  kill: 100,
  terminate: 100,
  freeze: 1_000,
  stall: 1_000,
  lock: 4_000,
  crash: 4_000,
};

/** The faults of a run with this many tasks, in random order. Each kind occurs at least once. */
export function planOf(tasks: number, dice: Dice): WorkerFault[] {
  const left = workerFaults.flatMap((fault) =>
    Array<WorkerFault>(Math.ceil(tasks / TASKS_PER[fault])).fill(fault),
  );
  const plan: WorkerFault[] = [];
  while (left.length > 0) plan.push(...left.splice(dice.below(left.length), 1));
  return plan;
}

/** The workers may take this long to take the tasks of a silent worker. */
const TAKEN_WITHIN_MS = 60_000;
/** How long a task is locked. Every worker claims tasks meanwhile. */
const LOCKED_MS = 3_000;
const LOOK_MS = 20;

/** The functions that make the faults. A fault ends when its worker is gone or works again. */
export const faultsOf = (
  stage: Stage,
  crew: Crew,
  dice: Dice,
): Record<WorkerFault, () => Promise<void>> => {
  const { databaseUrl, ledger, stop, restartPostgres } = stage;
  const lend = (work: (worker: WorkerProcess) => Promise<void>) => crew.lend(dice, stop, work);
  return {
    kill: () => lend((worker) => crew.kill(worker)),

    /** PostgreSQL ends a session of a worker in the middle of its work. */
    async terminate() {
      const isDone = () => onDatabase(databaseUrl, (sql) => terminate(sql, crew.accounts));
      await until(isDone, { everyMs: LOOK_MS, stop });
    },

    /** The process stands still until the other workers have its tasks. */
    freeze: () =>
      lend(async (worker) => {
        const thaw = await freeze(worker.pid);
        await untilTaken(stage, worker).finally(thaw);
      }),

    /**
     * The worker runs, but its network delays everything until the other workers have its tasks. So
     * the worker's last statements reach PostgreSQL after its tasks are lost.
     */
    stall: () =>
      lend(async ({ network, ...worker }) => {
        network.delay(true);
        await untilTaken(stage, worker).finally(() => network.delay(false));
      }),

    /** A session keeps a due task locked. No worker may wait for this session. */
    lock: () =>
      onDatabase(databaseUrl, async (sql) => {
        await sql`BEGIN`;
        const isLocked = () => lockDueTask(sql);
        if (!(await until(isLocked, { everyMs: LOOK_MS, withinMs: LOCKED_MS, stop }))) return;
        const isWaitedFor = () => holdsUp(sql, crew.accounts);
        if (await until(isWaitedFor, { everyMs: LOOK_MS, withinMs: LOCKED_MS, stop }))
          ledger.add({
            promise: 'no worker waits for another',
            what: 'a worker waited for a task that another session had locked',
          });
        await sql`ROLLBACK`;
      }),

    async crash() {
      if (!restartPostgres) throw new Error('only a PostgreSQL of our own can be stopped');
      await restartPostgres();
    },
  };
};

/** Resolves when the leases of a silent worker have ended, and other workers have its tasks. */
async function untilTaken({ databaseUrl, stop, ledger }: Stage, { name }: { name: string }) {
  // PostgreSQL may be down.
  const isTaken = () => onDatabase(databaseUrl, (sql) => hasLostAll(sql, name)).catch(() => false);
  if (await until(isTaken, { everyMs: LOOK_MS, withinMs: TAKEN_WITHIN_MS, stop })) return;
  ledger.add({
    promise: 'no task is stuck',
    what: `nobody took the tasks of the silent ${name} within ${TAKEN_WITHIN_MS} ms`,
  });
}
