import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { openScratch, type Scratch } from '../../src/platform/postgres/scratch.ts';
import { PlainError } from '../../src/platform/process/errors.ts';
import { unlessStopped } from '../../src/platform/process/main.ts';
import { inTime } from '../../src/platform/waiting/deadline.ts';
import { prepareDatabase } from '../../src/service/database/migrate.ts';
import { send } from './ask.ts';
import { audit, clockOffset, onDatabase, oversold } from './audit.ts';
import type { FaultyPostgres } from './database.ts';
import { anyDice, seededDice } from './dice.ts';
import { type Finding, Ledger } from './ledger.ts';
import { type Counts, Load, NoAnswers } from './load.ts';
import { type Openings, RECRUITERS, work } from './recruiter.ts';
import type { FaultCounts, FaultSettings, Scenario, Stage } from './scenario.ts';
import { startServerProcess } from './server-process.ts';

export interface ScenarioResult extends Counts, FaultCounts {
  scenario: string;
  /** The seconds that the faults took. */
  seconds: number;
  /** Empty if every promise was kept. */
  findings: Finding[];
}

const HOT_JOBS = 3;
const WATCH_MS = 250;
/** After this time without an answer, the watch opens a new connection. */
const WATCH_SILENCE_MS = 5_000;
/** The maximum time to drop the database of a scenario. */
const DROP_MS = 30_000;

export interface PlaySettings {
  postgres: FaultyPostgres;
  settings: FaultSettings;
  stop: AbortSignal;
  progress: (text: string) => void;
}

/**
 * Plays a scenario on a new database. Starts the servers and the load, makes the faults, and audits
 * the database. Throws a `PlainError` if there was not enough time for all faults.
 */
export async function play(scenario: Scenario, how: PlaySettings): Promise<ScenarioResult> {
  const scratch = await openScratch(how.postgres.url, how.stop);
  try {
    await unlessStopped(how.stop, prepareDatabase(scratch.url, { demoData: true }));
    return await onStage(scenario, scratch.url, how);
  } finally {
    await drop(scratch);
  }
}

/**
 * Drops the database of a scenario. Ignores a failure, because the findings must still be reported.
 * A drop fails, for example, on a primary that waits for a lost standby. If we started the server,
 * the server is deleted anyway. Otherwise the next command drops the database.
 */
const drop = (scratch: Scratch) =>
  inTime(scratch.stop(), DROP_MS, () => undefined).catch(() => undefined);

async function onStage(
  scenario: Scenario,
  databaseUrl: string,
  { postgres, settings, stop, progress }: PlaySettings,
): Promise<ScenarioResult> {
  const { offset, openings, recruiterIds } = await onDatabase(databaseUrl, lookAround);
  const servers = await startAll(databaseUrl, scenario);
  const ledger = new Ledger();
  const urls = servers.map(({ url }) => url);
  const load = new Load({ urls, ledger, now: () => Date.now() + offset });
  const tooLong = AbortSignal.timeout(settings.seconds * 1000);
  const stage: Stage = {
    databaseUrl,
    servers,
    load,
    ledger,
    settings,
    stop: AbortSignal.any([stop, tooLong]),
    restartPostgres: postgres.restart,
    pair: postgres.pair,
    cluster: postgres.cluster,
    progress: (text) => progress(`${scenario.name}: ${text}`),
  };
  if (scenario.startsLoad) load.rest();
  const began = Date.now();
  const working = Promise.all([
    watch(stage),
    ...recruiterIds.map((id) => {
      const dice = scenario.isSeeded ? seededDice(`recruiter ${id}`) : anyDice();
      return work(id, load, openings, dice);
    }),
  ]);
  // An error of `working` is thrown at its `await` below. Without this handler, Node could end the
  // process before that.
  working.catch(() => undefined);
  try {
    const counts = await faults(scenario, stage, stop);
    const seconds = (Date.now() - began) / 1000;
    load.end();
    await unlessStopped(stop, working);
    await judgeLife(stage);
    await auditIfPossible(databaseUrl, ledger);
    const { findings } = ledger;
    return { scenario: scenario.name, seconds, ...load.counts, ...counts, findings };
  } finally {
    load.end();
    await Promise.all(servers.map((each) => each.kill()));
  }
}

async function faults(scenario: Scenario, stage: Stage, stop: AbortSignal): Promise<FaultCounts> {
  try {
    return await scenario.faults(stage);
  } catch (error) {
    if (error instanceof NoAnswers) {
      stage.ledger.add({ promise: 'the server answers', what: error.message });
      return {};
    }
    if (!stage.stop.aborted || stop.aborted) throw error;
    const { seconds } = stage.settings;
    throw new PlainError(
      `${scenario.name}: ${seconds} s were not enough for all faults. Give more time with --seconds.`,
    );
  }
}

/**
 * Audits the database. The audit may fail, because the faults may have broken the database. If
 * there are earlier findings, the failure becomes one more finding. Otherwise the failure is
 * thrown.
 */
async function auditIfPossible(databaseUrl: string, ledger: Ledger) {
  try {
    await onDatabase(databaseUrl, (sql) => audit(sql, ledger));
  } catch (error) {
    if (ledger.findings.length === 0) throw error;
    const why = (error as Error).message;
    ledger.add({ promise: 'the server answers', what: why });
  }
}

async function startAll(databaseUrl: string, { servers, settings }: Scenario) {
  const starting = Array.from({ length: servers }, () =>
    startServerProcess(databaseUrl, 0, settings),
  );
  return Promise.all(starting);
}

async function lookAround(sql: postgres.Sql) {
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const jobs = ids(await sql<{ id: string }[]>`SELECT id::text FROM jobs ORDER BY id`);
  const openings: Openings = { hot: jobs.slice(0, HOT_JOBS), spread: jobs.slice(HOT_JOBS) };
  const recruiterIds = ids(
    await sql<{ id: string }[]>`SELECT id::text FROM recruiters ORDER BY id LIMIT ${RECRUITERS}`,
  );
  return { offset: await clockOffset(sql), openings, recruiterIds };
}

/** Checks for oversold jobs while the load runs. The audit checks only the state at the end. */
async function watch({ databaseUrl, load, ledger }: Stage) {
  while (!load.hasEnded) {
    // While PostgreSQL is stopped or frozen, the query fails. The failure is ignored.
    const found = await onDatabase(databaseUrl, oversold, WATCH_SILENCE_MS).catch(() => []);
    for (const finding of found) ledger.add(finding);
    await sleep(WATCH_MS);
  }
}

/**
 * Checks that the servers still run and answer. A scenario that kills a server removes or replaces
 * the server in the list `servers`.
 */
async function judgeLife({ servers, ledger }: Stage) {
  for (const server of servers) {
    const reply = await send(server.url, { path: '/healthz', method: 'GET' });
    const answers = reply.kind === 'answer' && reply.status === 200;
    if (!server.isRunning() || !answers)
      ledger.add({
        promise: 'the server lives',
        what: `the server at ${server.url} has ended or does not answer`,
      });
  }
}
