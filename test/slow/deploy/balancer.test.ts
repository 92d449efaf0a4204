import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { freePort } from '../../../src/platform/postgres/postmaster.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { atEnd, type Command, makeTmpDir, runServer, start } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { programFile } from '../../support/program.ts';

const urlOf = async (server: Command) => (await server.says(/listens on (\S+)/))[1] ?? '';

/** Starts HAProxy with the configuration of deploy/balancer. Resolves when it serves. */
async function startBalancer(servers: string[]): Promise<string> {
  const port = String(await freePort());
  const lines = servers.map((url, n) => `    server s${n} ${new URL(url).host} check\n`);
  const text = readFileSync(inProject('deploy/balancer/haproxy.cfg'), 'utf8')
    .replace('<HOST>', '127.0.0.1')
    .replace('<PORT>', port);
  const file = path.join(makeTmpDir(), 'haproxy.cfg');
  writeFileSync(file, `${text}${lines.join('')}`);
  const balancer = start(programFile('haproxy'), ['-db', '-f', file], {});
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
  expect(balancer.child.exitCode).toBe(null);
  return url;
}

test('behind the balancer, two servers grant four slots, and one may stop without a lost claim', {
  tags: ['haproxy'],
}, async () => {
  const JOBS = 60;
  const DATABASE_URL = await makeDatabase();
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  await sql`INSERT INTO companies (name) VALUES ('C')`;
  await sql`INSERT INTO jobs (company_id, role) SELECT 1, 'R' FROM generate_series(1, ${JOBS}::int)`;
  await sql`INSERT INTO recruiters (name) SELECT n::text FROM generate_series(1, 20) n`;
  const servers = [runServer({ DATABASE_URL }), runServer({ DATABASE_URL })];
  const urls = await Promise.all(servers.map(urlOf));
  const balanced = await startBalancer(urls);

  const claim = async (jobId: number, recruiterId: number) => {
    const answer = await fetch(`${balanced}/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`);
    const body = (await answer.json()) as { code?: string };
    return body.code ?? answer.status;
  };
  /** All recruiters claim these jobs at once. */
  const claimAll = async (jobs: number[]) => {
    const pairs = jobs.flatMap((job) =>
      Array.from({ length: 20 }, (_, n) => [job, n + 1] as const),
    );
    return Promise.all(pairs.map(([job, recruiter]) => claim(job, recruiter)));
  };
  const countOf = (answers: unknown[], kind: unknown) =>
    answers.filter((answer) => answer === kind).length;
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

  const both = await claimAll(range(1, 21));
  expect([countOf(both, 200), countOf(both, 'job-full')]).toEqual([80, 320]);
  const shares = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  for (const text of shares) expect(text).toMatch(/^rowlock_claim_outcomes_total\{.*\} [1-9]/m);

  // The server answers for two more seconds, with "shutting down". The balancer asks twice a second, so it
  // soon sends every request to the other server.
  const [stopping] = servers as [Command];
  stopping.child.kill('SIGTERM');
  // Before the server handles the signal, no answer says that it stops.
  const isStopping = async () => (await fetch(`${urls[0]}/readyz`)).status === 503;
  await expect.poll(isStopping, { interval: 20 }).toBe(true);
  const isNoticed = async () =>
    (await claimAll(range(21, 22))).every((kind) => kind !== 'shutting-down');
  await expect.poll(isNoticed, { interval: 300 }).toBe(true);
  const during = await claimAll(range(22, 41));
  expect(stopping.child.exitCode).toBe(null);
  expect([countOf(during, 200), countOf(during, 'job-full')]).toEqual([76, 304]);
  expect((await stopping.ended).code).toBe(0);
  const after = await claimAll(range(41, 61));
  expect([countOf(after, 200), countOf(after, 'job-full')]).toEqual([80, 320]);

  const [worst] = await sql`SELECT max(n)::int AS n, sum(n)::int AS total
    FROM (SELECT count(*) AS n FROM job_claims GROUP BY job_id) AS each`;
  expect(worst).toEqual({ n: 4, total: 80 + 4 + 76 + 80 });
});
