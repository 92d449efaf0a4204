import type postgres from 'postgres';
import { until } from '../../../src/platform/waiting/until.ts';
import { onDatabase } from '../audit.ts';
import { anyDice } from '../dice.ts';
import { addLines, removeLines } from '../line-crowd.ts';
import { RECRUITERS } from '../recruiter.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { auditWorkers } from '../workers/audit.ts';
import { Crew } from '../workers/crew.ts';
import { addEndpoints } from '../workers/endpoints.ts';
import { faultsOf, planOf, type WorkerFault } from '../workers/faults.ts';
import { Inbox } from '../workers/inbox.ts';
import { whileSomeWait } from '../workers/lines.ts';
import { Operator } from '../workers/operator.ts';
import { isQuiet } from '../workers/queries.ts';
import { openReceiver } from '../workers/receiver.ts';
import { regretOften } from '../workers/regrets.ts';
import { layTrail } from '../workers/trail.ts';

const WORKERS = 8;
/** Some recruiters wait in line, so there are messages of all types. */
const LINES = { jobs: 3, recruiters: 8 };
/** A run with at least this many tasks has messages of all types. */
const LONG = 5_000;
/** While faults are made, about this many tasks wait, so no worker is idle. */
const BACKLOG = 300;
/**
 * The maximum number of freezes and stalls at the same time. Each of these faults takes longer than
 * a lease.
 */
const MOST_SILENT = 3;
const SILENT: WorkerFault[] = ['freeze', 'stall'];
/**
 * If no task finishes for this long, the remaining tasks are stuck. A hanging receiver and the
 * lease of a dead worker together take only 30 s.
 */
const STUCK_AFTER_MS = 45_000;
const LOOK_MS = 20;

/** Lets eight workers deliver messages, while workers, sessions, networks and PostgreSQL fail. */
export const workers: Scenario = {
  name: 'workers',
  idea: 'eight workers deliver messages; they are killed and frozen, and the receivers misbehave',
  servers: 1,
  stopsPostgres: true,
  startsLoad: true,
  settings: { WORKERS: '0', WEBHOOK_LOOPBACK: 'on' },
  async faults(stage) {
    const { databaseUrl, servers, ledger } = stage;
    const dice = anyDice();
    const over = new AbortController();
    const inbox = new Inbox();
    const receiver = await openReceiver(inbox, dice);
    const crew = new Crew(WORKERS, databaseUrl, ledger);
    const operator = new Operator(stage);
    try {
      const { companyIds, lines, ...regretful } = await onDatabase(databaseUrl, prepare);
      const endpoints = await addEndpoints(servers[0]?.url ?? '', receiver.url, companyIds);
      const others = [
        operator.work(over.signal),
        regretOften(databaseUrl, regretful, dice, over.signal),
      ];
      const making = whileSomeWait(stage, lines, operator, dice, () =>
        makeFaults(stage, crew, operator),
      );
      making.catch(() => undefined);
      await Promise.race([making, crew.failed]);
      receiver.calm();
      await untilQuiet(stage, operator);
      await crew.judgeReady(stage.stop);
      over.abort();
      await Promise.all(others);
      const lost = await onDatabase(databaseUrl, (sql) =>
        auditWorkers(sql, { inbox, endpoints, ledger, isLong: stage.settings.tasks >= LONG }),
      );
      await onDatabase(databaseUrl, (sql) => removeLines(sql, lines));
      const { made: tasks } = operator.tally;
      return { workers: { tasks, arrivals: inbox.arrivals, lost, faults: await making } };
    } finally {
      over.abort();
      receiver.close();
      await crew.stop();
    }
  },
};

async function prepare(sql: postgres.Sql) {
  await layTrail(sql);
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const demo = {
    companyIds: ids(await sql<{ id: string }[]>`SELECT id::text FROM companies ORDER BY id`),
    jobIds: ids(await sql<{ id: string }[]>`SELECT id::text FROM jobs ORDER BY id`),
    // The load uses the first recruiters.
    recruiterIds: ids(
      await sql<{ id: string }[]>`SELECT id::text FROM recruiters ORDER BY id OFFSET ${RECRUITERS}`,
    ),
  };
  // The jobs with lines are none of the demo's jobs. PostgreSQL refuses a claim that passes over a
  // line, so a regretted claim of such a job would fail.
  return { ...demo, lines: await addLines(sql, LINES) };
}

/** Makes all faults, evenly spread over the tasks. Resolves when all tasks exist. */
async function makeFaults(stage: Stage, crew: Crew, operator: Operator) {
  const { settings, stop, progress, load } = stage;
  const dice = anyDice();
  const make = faultsOf(stage, crew, dice);
  const plan = planOf(settings.tasks, dice);
  const share = (part: number) => Math.floor((settings.tasks * part) / plan.length);
  const silent = new Set<Promise<void>>();
  for (const [index, fault] of plan.entries()) {
    operator.limit = Math.min(settings.tasks, share(index) + BACKLOG);
    await until(() => operator.tally.finished >= share(index), { everyMs: LOOK_MS, stop });
    const { finished } = operator.tally;
    progress(`${index} of ${plan.length} faults, ${finished} of ${settings.tasks} tasks`);
    if (silent.size >= MOST_SILENT) await Promise.race(silent);
    const making = make[fault]();
    if (!SILENT.includes(fault)) await making;
    else {
      silent.add(making);
      making.finally(() => silent.delete(making)).catch(() => undefined);
    }
  }
  await Promise.all(silent);
  operator.limit = settings.tasks;
  await until(() => operator.tally.made >= settings.tasks, { everyMs: LOOK_MS, stop });
  operator.limit = 0;
  await until(() => load.isIdle, { everyMs: LOOK_MS, stop });
  return countsOf(plan);
}

const countsOf = (plan: WorkerFault[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const fault of plan) counts[fault] = (counts[fault] ?? 0) + 1;
  return counts;
};

/**
 * Waits until all tasks are done. Gives up if no task finishes for `STUCK_AFTER_MS`. The audit then
 * finds the stuck tasks.
 */
async function untilQuiet({ databaseUrl, stop }: Stage, operator: Operator) {
  const isOver = () => onDatabase(databaseUrl, isQuiet);
  for (let finished = -1; finished !== operator.tally.finished; ) {
    finished = operator.tally.finished;
    if (await until(isOver, { everyMs: LOOK_MS, withinMs: STUCK_AFTER_MS, stop })) return;
  }
}
