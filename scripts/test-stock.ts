import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { oneConnection } from '../src/platform/db/one-connection.ts';
import { runCommand } from '../src/platform/process/command.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { inProject } from '../src/platform/process/project.ts';
import { environmentOf, readConfig } from '../src/service/config/config.ts';
import {
  distribution,
  download,
  packaged,
  type StockServer,
  startStock,
} from './stock-postgres.ts';

const VERSIONS = Object.keys(packaged).join(', ');

const command = {
  name: 'test:stock',
  purpose: 'Runs the tests that depend on PostgreSQL, on a PostgreSQL with its default settings.',
  usage: ['[VERSION]'],
  operands: { VERSION: `download and use this version: ${VERSIONS}` },
  notes: `These are the tests of claims, database, jobs, queue, outbox, webhooks, live and db, and
the row of production in docs/strategies.md. Without VERSION, they use the distribution's
PostgreSQL: in /usr/lib/postgresql, on the PATH, or beside the initdb in INITDB_PATH.
With DATABASE_URL, they use that server. They make databases there and drop them. They
need up to 400 connections.

Exit code: 0 if all tests pass, 1 if a test fails.`,
};

const TESTS = [
  ...['claims', 'database', 'jobs', 'queue', 'outbox', 'webhooks', 'live'].map(
    (room) => `test/service/${room}/`,
  ),
  'test/platform/db/',
  'test/campaigns/lab/chapters/production-matrix.test.ts',
];

/** The time limits. The slow tests and the campaigns have the same limits. */
const LIMITS = ['--testTimeout', '240000', '--hookTimeout', '240000'];

runCommand(command, async (_, stop, [version, ...more]) => {
  assertKnown(version, more);
  const { databaseUrl } = readConfig();
  if (version === undefined && databaseUrl !== undefined) return testsOn(databaseUrl, stop);
  const native = version === undefined ? distribution() : await download(version, stop);
  const server: StockServer = await startStock(native, stop);
  try {
    return await testsOn(server.url, stop);
  } finally {
    await server.stop();
  }
});

function assertKnown(version: string | undefined, more: string[]) {
  if (more.length === 0 && (version === undefined || Object.hasOwn(packaged, version))) return;
  throw new UsageError(`VERSION must be one of ${VERSIONS}. See: npm run test:stock -- --help`);
}

async function testsOn(url: string, signal: AbortSignal): Promise<number> {
  print(`${await describe(url)}\n`);
  signal.throwIfAborted();
  const vitest = inProject('node_modules/vitest/vitest.mjs');
  const tests = spawn(process.execPath, [vitest, 'run', ...LIMITS, ...TESTS], {
    cwd: inProject('.'),
    env: environmentOf({ DATABASE_URL: url }),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  signal.addEventListener('abort', () => tests.kill('SIGTERM'));
  const [code] = await once(tests, 'close');
  return code === 0 ? 0 : 1;
}

async function describe(url: string): Promise<string> {
  const sql = oneConnection(url, {});
  try {
    const [row] = await sql`SELECT current_setting('server_version') AS version,
      current_setting('jit') AS jit, current_setting('max_connections') AS connections`;
    return `PostgreSQL ${row?.version}, jit = ${row?.jit}, max_connections = ${row?.connections}`;
  } finally {
    await sql.end();
  }
}
