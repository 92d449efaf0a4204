import { DEFAULT_CAPACITY } from '../../../src/service/claims/rules.ts';
import { figuresOf } from '../check.ts';
import type { Asks } from '../load/asks.ts';
import type { Heard } from '../load/load.ts';
import { compare } from '../measure.ts';
import type { Server } from '../processes.ts';
import type { Measurement } from '../rounds.ts';
import { clearFreeJobs, type Seed } from '../seed.ts';
import { CONNECTIONS, type Scenario, type Stand } from '../stand.ts';
import { inTurn, rateIn } from './scenarios.ts';

const SIZES = [1_000, 1_000_000];
/**
 * The number of additional free jobs in each table. Before each measurement of claims, the old
 * claims on these jobs are removed.
 */
const FREE_JOBS = 20_000;

interface Table extends Seed {
  url: string;
  server: Server;
  name: string;
}

/** (e) Compares the product on a large table with the product on a small table. */
export const size: Scenario = async (stand) => {
  const tables: Table[] = [];
  for (const fullJobs of SIZES) tables.push(await makeTable(stand, fullJobs));
  const measurements = tables.flatMap((table) => [
    [`claims, ${table.name}`, measureClaims(stand, table)] as const,
    [`refusals, ${table.name}`, measureRefusals(stand, table)] as const,
  ]);
  const rounds = await inTurn(stand, 'size', Object.fromEntries(measurements));
  await Promise.all(tables.map(({ server }) => server.stop()));

  const [small, large] = tables.map(({ name }) => name);
  const rate = rateIn(rounds);
  const measure = (kind: 'claims' | 'refusals', what: string) =>
    compare(
      what,
      `${kind}/s`,
      { ...rate(`${kind}, ${large}`), name: large ?? '' },
      { ...rate(`${kind}, ${small}`), name: small ?? '' },
      { at: 'least', limit: 0.9 },
    );
  return {
    rounds,
    measures: [
      measure('claims', `claims on ${FREE_JOBS.toLocaleString('en')} free jobs beside full ones`),
      measure('refusals', 'refusals spread over the full jobs'),
    ],
  };
};

async function makeTable({ arena, onProgress }: Stand, fullJobs: number): Promise<Table> {
  const name = `${fullJobs.toLocaleString('en')} jobs`;
  onProgress(`size: seeding ${name} with four claims each`);
  const rows = { fullJobs, freeJobs: FREE_JOBS };
  const url = await arena.makeDatabase(`jobs_${fullJobs}`, rows);
  return { ...rows, url, name, server: await arena.startServer('group', url) };
}

const measureClaims =
  (stand: Stand, table: Table): Measurement =>
  async () => {
    await clearFreeJobs(table.url, table);
    const firstJob = table.fullJobs + 1;
    const asks: Asks = { kind: 'spread', firstJob, jobs: FREE_JOBS, slots: DEFAULT_CAPACITY };
    return figuresOf(`claims, ${table.name}`, await crowd(stand, table, asks), 200);
  };

const measureRefusals =
  (stand: Stand, table: Table): Measurement =>
  async () => {
    const asks: Asks = { kind: 'spread', firstJob: 1, jobs: table.fullJobs };
    return figuresOf(`refusals, ${table.name}`, await crowd(stand, table, asks), 403);
  };

async function crowd({ arena, seconds }: Stand, { server }: Table, asks: Asks): Promise<Heard> {
  const crowds = [{ asks, connections: CONNECTIONS }];
  const [heard] = await arena.makeLoad({ origins: [server.origin], seconds, crowds });
  return heard as Heard;
}
