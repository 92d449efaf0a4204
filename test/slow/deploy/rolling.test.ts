import { execFileSync } from 'node:child_process';
import path from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';
import { atEnd, type Command, makeTmpDir, run, runServer, start } from '../../support/command.ts';
import { makeEmptyDatabase } from '../../support/database.ts';

const urlOf = async (server: Command) => (await server.says(/listens on (\S+)/))[1] ?? '';

/** Builds the previous version. Returns a function that starts a server of this version. */
function makeOldVersion(env: Record<string, string>) {
  const folder = path.join(makeTmpDir(), 'old');
  execFileSync(inProject('deploy/last-version.sh'), ['--checkout', folder]);
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder });
  return () => start(process.execPath, ['dist/server.js'], { PORT: '0', ...env }, folder);
}

/** Starts clients that claim at the servers in `urls` in turn, as behind a load balancer. */
function startLoad(urls: string[], clients: number) {
  const statuses = new Map<number, number>();
  let lost = 0;
  let stopped = false;
  let next = 0;
  const client = async () => {
    while (!stopped) {
      const number = next++;
      const [jobId, recruiterId] = [1 + (number % 400), 1 + (Math.floor(number / 400) % 100)];
      const url = urls[number % urls.length];
      try {
        const { status } = await fetch(
          `${url}/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`,
        );
        statuses.set(status, 1 + (statuses.get(status) ?? 0));
      } catch {
        // The claim got no answer. A load balancer would ask another server.
        lost++;
      }
    }
  };
  const running = Array.from({ length: clients }, client);
  return {
    total: () => [...statuses.values()].reduce((sum, each) => sum + each, 0),
    async stop() {
      stopped = true;
      await Promise.all(running);
      return { statuses: Object.fromEntries(statuses), lost };
    },
  };
}

test('an upgrade and a downgrade under load oversell no job, and no claim gets an error', {
  tags: ['tar'],
}, async () => {
  const DATABASE_URL = await makeEmptyDatabase();
  const startOld = makeOldVersion({ DATABASE_URL });
  const old = startOld();
  const urls = [await urlOf(old)];
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  await sql`INSERT INTO companies (name) VALUES ('C')`;
  await sql`INSERT INTO jobs (company_id, role) SELECT 1, 'R' FROM generate_series(1, 400)`;
  await sql`INSERT INTO recruiters (name) SELECT n::text FROM generate_series(1, 100) n`;
  const load = startLoad(urls, 8);
  const untilMore = async (claims: number) => {
    const goal = load.total() + claims;
    while (load.total() < goal) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** Removes a server from the load balancer, and stops the server. */
  const stop = async (server: Command) => {
    const url = await urlOf(server);
    urls.splice(urls.indexOf(url), 1);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  };
  await untilMore(200);
  await prepareDatabase(DATABASE_URL);
  await untilMore(200);
  const fresh = runServer({ DATABASE_URL, MIGRATE: 'off' });
  urls.push(await urlOf(fresh));
  await untilMore(200);
  await stop(old);
  await untilMore(200);
  const again = startOld();
  urls.push(await urlOf(again));
  await untilMore(200);
  await stop(fresh);
  await untilMore(200);
  expect((await (await fetch(`${urls[0]}/readyz`)).json()) as object).toMatchObject({
    status: 'ready',
  });

  const { statuses, lost } = await load.stop();
  expect(lost).toBe(0);
  expect(
    Object.keys(statuses)
      .map(Number)
      .filter((status) => ![200, 403, 409].includes(status)),
  ).toEqual([]);
  const [worst] = await sql`SELECT max(n)::int AS n, sum(n)::int AS total
    FROM (SELECT count(*) AS n FROM job_claims GROUP BY job_id) AS each`;
  expect(worst).toEqual({ n: 4, total: statuses[200] });
  // The previous version must not give the slot to a newcomer. It offers the slot to the line.
  await sql`INSERT INTO jobs (id, company_id, role, capacity) VALUES (999, 1, 'R', 1)`;
  await sql`INSERT INTO waitlist (job_id, recruiter_id) VALUES (999, 1)`;
  const newcomer = () => fetch(`${urls[0]}/claim-job?jobId=999&recruiterId=2`);
  expect((await newcomer()).status).toBe(403);
  const last = runServer({ DATABASE_URL, MIGRATE: 'off' });
  await urlOf(last);
  const holders = () => sql`SELECT recruiter_id::int AS id FROM job_claims WHERE job_id = 999`;
  await expect.poll(holders, { timeout: 20_000 }).toEqual([{ id: 1 }]);
  expect((await newcomer()).status).toBe(403);
  last.child.kill('SIGTERM');
  await last.ended;
  await stop(again);
  const doctor = run('scripts/doctor.ts', ['--url', DATABASE_URL]);
  expect([(await doctor.ended).code, doctor.stdout()]).toEqual([
    0,
    expect.stringContaining('All is well'),
  ]);
});
