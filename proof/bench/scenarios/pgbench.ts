import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { POOL_SIZE } from '../../../src/platform/db/client.ts';
import { databaseIn, hostsOf } from '../../../src/platform/db/hosts.ts';
import { PlainError } from '../../../src/platform/process/errors.ts';
import { environmentOf } from '../../../src/service/config/config.ts';
import { RECRUITERS, STRIDE } from '../load/asks.ts';
import { withConnection } from '../seed.ts';

/** Claims the same pairs of a job and a recruiter as the load, spread over pgbench's clients. */
const SCRIPT = `
\\set n :turn * :clients + :client_id
\\set turn :turn + 1
\\set job 1 + (:n * ${STRIDE}) % :jobs
\\set recruiter 1 + :n % ${RECRUITERS}
SELECT bench_claim(:job, :recruiter);
`;

/**
 * Makes a function that does a whole claim: locks the job, counts the claims, inserts the claim.
 */
const makeFunction = (url: string) =>
  withConnection(
    url,
    (sql) => sql`
      CREATE OR REPLACE FUNCTION bench_claim(wanted bigint, claimer bigint) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE slots int; claimed int; held bool; claim bigint;
      BEGIN
        SELECT capacity INTO slots FROM jobs WHERE id = wanted FOR UPDATE;
        SELECT count(*), coalesce(bool_or(recruiter_id = claimer), false) INTO claimed, held
          FROM job_claims
          WHERE job_id = wanted AND (expires_at IS NULL OR expires_at > statement_timestamp());
        IF held OR claimed >= slots THEN RETURN NULL; END IF;
        INSERT INTO job_claims (job_id, recruiter_id) VALUES (wanted, claimer) RETURNING id INTO claim;
        RETURN claim;
      END $$`,
  );

export interface Pgbench {
  /** Makes claims for this many seconds, rounded up, with one claim in each transaction. */
  claim(seconds: number): Promise<{ perSecond: number; transactions: number }>;
  /** The version of pgbench, for the report. */
  version: string;
}

/**
 * Prepares a database for pgbench, PostgreSQL's own bench. By default, pgbench has as many clients
 * as the service has connections. Returns undefined if there is no `pgbench` on the PATH.
 */
export async function openPgbench(
  url: string,
  jobs: number,
  stop: AbortSignal,
  clients = POOL_SIZE,
): Promise<Pgbench | undefined> {
  const version = await run(['--version'], {}, stop);
  if (version === undefined) return undefined;
  await makeFunction(url);
  const each = hostsOf(url).map((host) => new URL(host));
  const { username = '', password = '' } = each[0] ?? {};
  const settings = { PGPASSWORD: decodeURIComponent(password), PGTARGETSESSIONATTRS: 'read-write' };
  return {
    version: version.trim(),
    async claim(seconds) {
      const output = await run(
        [
          '-h',
          each.map(({ hostname }) => hostname).join(','),
          '-p',
          each.map(({ port }) => port || '5432').join(','),
          '-U',
          decodeURIComponent(username),
          '-n',
          '-M',
          'prepared',
          // pgbench reads the script from stdin. A script file would remain after a SIGKILL.
          '-f',
          '-',
          '-T',
          // The clients also connect within this time, which may take most of a second.
          String(Math.ceil(seconds) + 1),
          '-c',
          String(clients),
          '-D',
          `clients=${clients}`,
          '-D',
          `jobs=${jobs}`,
          '-D',
          'turn=0',
          databaseIn(url),
        ],
        settings,
        stop,
      );
      return { perSecond: told(output, /tps = ([\d.]+)/), transactions: told(output, DONE) };
    },
  };
}

const DONE = /transactions actually processed: (\d+)/;

function told(output: string | undefined, what: RegExp): number {
  const [, number] = output?.match(what) ?? [];
  if (number === undefined) throw new PlainError(`pgbench did not print ${what}.`);
  return Number(number);
}

/** Runs pgbench, and returns its output. Returns undefined if there is no such program. */
async function run(
  args: string[],
  settings: Record<string, string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const child = spawn('pgbench', args, {
    env: environmentOf(settings),
    signal,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // If there is no such program, this write fails too. The code below handles the error of `spawn`.
  child.stdin.on('error', () => undefined).end(SCRIPT);
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  try {
    const [code] = await once(child, 'close');
    if (code === 0) return output;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  throw new PlainError(`pgbench failed: ${errors.trim().split('\n')[0]}`);
}
