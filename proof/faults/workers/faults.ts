import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../../../src/platform/waiting/until.ts';
import { onDatabase } from '../audit.ts';
import type { Dice } from '../dice.ts';
import type { Stage } from '../scenario.ts';
import type { Crew } from './crew.ts';
import { hasLostAll, holdsUp, lockDueTask, terminate } from './queries.ts';
import type { WorkerProcess } from './worker-process.ts';

/** The kinds of faults that hit the workers. */
export const workerFaults = ['kill', 'terminate', 'freeze', 'stall', 'lock', 'crash'] as const;
export type WorkerFault = (typeof workerFaults)[number];

/** The number of tasks for each fault. With 20,000 tasks there are 200 kills and five crashes. */
const TASKS_PER: Record<WorkerFault, number> = {
  kill: 100,
  terminate: 100,
  freeze: 1_000,
  stall: 1_000,
  lock: 4_000,
  crash: 4_000,
};

/** Returns the faults for a number of tasks, in random order. Each kind occurs at least once. */
export function planOf(tasks: number, dice: Dice): WorkerFault[] {
  const left = workerFaults.flatMap((fault) =>
    Array<WorkerFault>(Math.ceil(tasks / TASKS_PER[fault])).fill(fault),
  );
  const plan: WorkerFault[] = [];
  while (left.length > 0) plan.push(...left.splice(dice.below(left.length), 1));
  return plan;
}

/** The maximum time until other workers have taken the tasks of a frozen or stalled worker. */
const TAKEN_WITHIN_MS = 60_000;
/** The time for which a task stays locked. During this time, every worker claims tasks. */
const LOCKED_MS = 3_000;
const LOOK_MS = 20;

/**
 * Returns the functions that make the faults. Each function resolves when its worker is gone or
 * works again.
 */
export const faultsOf = (
  stage: Stage,
  crew: Crew,
  dice: Dice,
): Record<WorkerFault, () => Promise<void>> => {
  const { databaseUrl, ledger, stop, restartPostgres } = stage;
  const lend = (work: (worker: WorkerProcess) => Promise<void>) => crew.lend(dice, stop, work);
  return {
    kill: () => lend((worker) => crew.kill(worker)),

    /** PostgreSQL ends a session of a worker while the session works. */
    async terminate() {
      const isDone = () => onDatabase(databaseUrl, (sql) => terminate(sql, crew.accounts));
      await until(isDone, { everyMs: LOOK_MS, stop });
    },

    /** The worker's process is paused until other workers have taken its tasks. */
    freeze: () =>
      lend(async (worker) => {
        const thaw = await freeze(worker.pid);
        await untilTaken(stage, worker).finally(thaw);
      }),

    /**
     * The worker runs, but its network delays all data until other workers have taken its tasks. So
     * the worker's last statements reach PostgreSQL after the worker has lost its tasks.
     */
    stall: () =>
      lend(async ({ network, ...worker }) => {
        network.delay(true);
        await untilTaken(stage, worker).finally(() => network.delay(false));
      }),

    /** A session locks a due task. A worker that waits for this lock is a finding. */
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

/**
 * Resolves when the lease of a frozen or stalled worker has ended, and the worker holds no task any
 * more.
 */
async function untilTaken({ databaseUrl, stop, ledger }: Stage, { name }: { name: string }) {
  // Another fault may have stopped PostgreSQL. Then the query fails.
  const isTaken = () => onDatabase(databaseUrl, (sql) => hasLostAll(sql, name)).catch(() => false);
  if (await until(isTaken, { everyMs: LOOK_MS, withinMs: TAKEN_WITHIN_MS, stop })) return;
  ledger.add({
    promise: 'no task is stuck',
    what: `nobody took the tasks of the silent ${name} within ${TAKEN_WITHIN_MS} ms`,
  });
}

/**
 * Freezes a process with SIGSTOP. Returns a function that thaws the process. A helper process, the
 * holder, thaws the frozen process when this command ends, even by SIGKILL. A frozen process would
 * not notice the end of this command, and would not end itself.
 */
export async function freeze(pid: number): Promise<() => Promise<void>> {
  // A Ctrl-C reaches the whole group of processes. The holder ignores this signal, because only the
  // end of the holder's input ends the freeze.
  const script = 'trap "" INT TERM HUP; kill -STOP "$1"; echo; read -r _; kill -CONT "$1"';
  const holder = spawn('sh', ['-c', script, 'sh', String(pid)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(holder, 'close');
  await Promise.race([once(holder.stdout, 'data'), ended]);
  return async () => {
    holder.stdin.end();
    await ended;
  };
}
