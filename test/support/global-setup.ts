import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { buildDist } from '../../scripts/dist.ts';
import { prepareLabDatabase } from '../../src/lab/stages/stages.ts';
import { startEmbedded } from '../../src/platform/postgres/embedded.ts';
import { openScratch } from '../../src/platform/postgres/scratch.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { readConfig } from '../../src/service/config/config.ts';
import { prepareDatabase } from '../../src/service/database/migrate.ts';
import { launchChromium } from './chromium.ts';
import { compileCommands } from './commands.ts';
import { countLeftOut, type LeftOut, lacksPackage, lineOf } from './left-out.ts';
import { linkPrograms } from './program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The scratch database of the test run. All other databases of the run are on the same server.
     */
    scratchUrl: string;
    /** Databases to copy: `plain` has demo data, `lab` has demo data and the lab's tables. */
    templates: { plain: string; lab: string };
    /** The option that tells `CREATE DATABASE` how to copy a template. */
    copying: string;
    /** The path of the compiled service. */
    serverProgram: string;
    /** The folder of the compiled commands. */
    commandsFolder: string;
    /** The address of the run's browser. Undefined on a machine without a browser. */
    browserUrl: string | undefined;
  }
}

/**
 * Starts one PostgreSQL for the test run, and makes migrated template databases. A test file copies
 * a template in about 50 ms.
 */
export default async function setup(project: TestProject) {
  // The guard of PostgreSQL, the servers and the pages of the tests come from `dist`.
  await buildDist();
  project.onTestsRerun(() => buildDist());
  const { needs } = project.getProvidedContext();
  const links = linkPrograms(needs);
  const [{ scratch, sql, templates, copying, databases }, commands, browser] = await Promise.all([
    makeTemplates(),
    compileCommands(),
    launchChromium(needs),
  ]);
  const atStart = await databases();
  project.provide('scratchUrl', scratch.url);
  project.provide('templates', templates);
  project.provide('copying', copying);
  project.provide('serverProgram', inProject('dist/server.js'));
  project.provide('commandsFolder', commands.folder);
  project.provide('programFolder', links.folder);
  project.provide('browserUrl', browser?.wsEndpoint());
  return async () => {
    await browser?.close();
    commands.remove();
    links.remove();
    // If all tests of a file are skipped, Vitest runs no hooks of the file, so its databases
    // remain.
    const isWhole = project.vitest.state.getFiles().every(({ mode }) => mode !== 'skip');
    const left = (await databases()).filter((name) => isWhole && !atStart.includes(name));
    await sql.end();
    await scratch.stop();
    reportLeftOut(countLeftOut(project.vitest.state.getFiles(), needs));
    if (left.length > 0) {
      // Vitest prints the error of a teardown, but still ends with the exit code 0.
      process.exitCode = 1;
      throw new Error(`The tests left databases behind: ${left.join(', ')}`);
    }
  };
}

/**
 * Prints what this machine cannot test. With `REQUIRE_PROGRAMS`, a run without these tests fails.
 */
function reportLeftOut(leftOut: LeftOut) {
  if (leftOut.tests === 0) return;
  process.stderr.write(`\n${lineOf(leftOut)}\n`);
  if (!process.env.REQUIRE_PROGRAMS || !lacksPackage(leftOut)) return;
  process.stderr.write('REQUIRE_PROGRAMS is set, so this run fails.\n');
  process.exitCode = 1;
}

/** Starts the server of the run, and makes the template databases. */
async function makeTemplates() {
  const { databaseUrl } = readConfig();
  const scratch = await openScratch(databaseUrl, undefined, startRoomy);
  const scratchName = nameIn(scratch.url);
  const templates = { plain: `${scratchName}_template`, lab: `${scratchName}_lab_template` };
  const sql = postgres(scratch.url, { max: 1 });
  await sql`CREATE DATABASE ${sql(templates.plain)}`;
  await prepareDatabase(beside(scratch.url, templates.plain), { demoData: true });
  await sql`CREATE DATABASE ${sql(templates.lab)} TEMPLATE ${sql(templates.plain)}`;
  await prepareLabDatabase(beside(scratch.url, templates.lab));
  // Our own server syncs no file. So a copy of the files takes only a third of the processor time
  // of a copy through the log. The server at DATABASE_URL may be PostgreSQL 14, which does not know
  // this option.
  const copying = databaseUrl ? '' : 'STRATEGY file_copy';
  // All databases on a server of our own are ours. On the server at DATABASE_URL, other test runs
  // may have databases too.
  const databases = async () =>
    (
      await sql<{ datname: string }[]>`
        SELECT datname FROM pg_database WHERE starts_with(datname, ${databaseUrl ? scratchName : ''})`
    ).map(({ datname }) => datname);
  return { scratch, sql, templates, copying, databases };
}

/** Starts a PostgreSQL for 400 connections. Test files that run together need more than 100. */
async function startRoomy() {
  const server = await startEmbedded();
  const sql = postgres(server.url, { max: 1 });
  await sql`ALTER SYSTEM SET max_connections = 400`;
  await sql.end();
  await server.restart();
  return server;
}

const nameIn = (url: string) => new URL(url).pathname.slice(1);

const beside = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href;
