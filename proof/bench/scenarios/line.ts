import { Agent, request } from 'node:http';
import { alone, compare } from '../measure.ts';
import { type Figures, type Measurement, median } from '../rounds.ts';
import { clearClaims, withConnection } from '../seed.ts';
import type { Scenario, SideServer, Stand } from '../stand.ts';
import { HOT_JOB, inTurn } from './scenarios.ts';

/** The number of recruiters in each line. */
const IN_LINE = 100;
/** The number of releases in a round. Each release is of a different full job. */
const RELEASES = 400;
const JOINS = 10_000;
const CLIENTS = 64;

/** (n) Measures releases of full jobs with and without a line, and a crowd that joins one line. */
export const line: Scenario = async (stand) => {
  const rounds = await inTurn(stand, 'line', {
    'no line': measureReleases(stand, 0),
    line: measureReleases(stand, IN_LINE),
    joins: measureJoins(stand),
  });
  const of = (name: string, figure: string) => ({
    name,
    value: median(rounds[name] ?? [], figure),
  });
  const release = `a release with ${IN_LINE} in line`;
  const joins = `${JOINS.toLocaleString('en')} joins of one job by ${CLIENTS} clients`;
  return {
    rounds,
    measures: [
      compare(`${release}, p50`, 'ms', of('line', 'p50'), of('no line', 'p50'), {
        at: 'most',
        limit: 1.2,
      }),
      compare(`${release}, p99`, 'ms', of('line', 'p99'), of('no line', 'p99')),
      alone(`${joins}, p50`, 'ms', of('joins', 'p50')),
      alone(`${joins}, p99`, 'ms', of('joins', 'p99')),
    ],
  };
};

/** Measures one client that releases a claim of each of many full jobs. */
const measureReleases =
  ({ group }: Stand, inLine: number): Measurement =>
  async () => {
    await clear(group);
    const ids = await fillJobs(group, inLine);
    return ask(
      group,
      1,
      ids.map((id) => ({ method: 'DELETE', path: `/claims/${id}` })),
    );
  };

/** Measures a crowd that joins the line of one full job. Most recruiters find the line full. */
const measureJoins =
  ({ group }: Stand): Measurement =>
  async () => {
    await clear(group);
    await withConnection(group.url, async (sql) => {
      await sql`
        INSERT INTO job_claims (job_id, recruiter_id)
        SELECT ${HOT_JOB}, n FROM generate_series(1, 4) AS n`;
    });
    const joins = Array.from({ length: JOINS }, (_, index) => ({
      method: 'POST',
      path: `/jobs/${HOT_JOB}/waitlist`,
      body: JSON.stringify({ recruiterId: 5 + index }),
    }));
    return ask(group, CLIENTS, joins);
  };

/**
 * Removes all lines, and then all claims. In the other order, the cleanup would make offers of the
 * free slots.
 */
async function clear({ url }: SideServer) {
  await withConnection(url, (sql) => sql`TRUNCATE waitlist`.then(() => undefined));
  await clearClaims(url);
}

/** Fills jobs, and makes their lines. Returns the id of one claim of each job. */
const fillJobs = ({ url }: SideServer, inLine: number): Promise<string[]> =>
  withConnection(url, async (sql) => {
    await sql`SET session_replication_role = replica`;
    const claims = await sql<{ id: string; slot: number }[]>`
      INSERT INTO job_claims (job_id, recruiter_id)
      SELECT job, slot FROM generate_series(1, ${RELEASES}::int) AS job, generate_series(1, 4) AS slot
      RETURNING id, recruiter_id::int AS slot`;
    await sql`
      INSERT INTO waitlist (job_id, recruiter_id)
      SELECT job, 4 + n FROM generate_series(1, ${RELEASES}::int) AS job,
        generate_series(1, ${inLine}::int) AS n ORDER BY n`;
    await sql`VACUUM (ANALYZE) job_claims, waitlist`;
    return claims.filter(({ slot }) => slot === 1).map(({ id }) => id);
  });

interface Ask {
  method: string;
  path: string;
  body?: string;
}

/** Sends the requests, one at a time on each connection. Returns the latencies in milliseconds. */
async function ask({ server }: SideServer, clients: number, asks: Ask[]): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  const waiting = asks.values();
  const work = async () => {
    for (const each of waiting)
      times.push(await timeOf(`${server.origin}${each.path}`, each, agent));
  };
  await Promise.all(Array.from({ length: clients }, work));
  agent.destroy();
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

const timeOf = (url: string, { method, body }: Ask, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = request(url, { method, agent, headers }, (response) => {
      if ((response.statusCode ?? 500) >= 500) reject(new Error(`${method} ${url} was refused`));
      response.resume().on('end', () => resolve(performance.now() - began));
    });
    sent.on('error', reject).end(body);
  });
