import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureBacklog } from '../../../../../proof/bench/queue/backlog.ts';
import { Crew } from '../../../../../proof/bench/queue/crew.ts';
import {
  measurePickUp,
  measureSize,
  measureThroughput,
} from '../../../../../proof/bench/queue/measurements.ts';
import { Station } from '../../../../../proof/bench/queue/station.ts';
import type { Run, Tool } from '../../../../../proof/bench/queue/tool.ts';
import { rowlock } from '../../../../../proof/bench/queue/tools/rowlock.ts';
import { withConnection } from '../../../../../proof/bench/seed.ts';
import {
  type EmbeddedPostgres,
  startEmbedded,
} from '../../../../../src/platform/postgres/embedded.ts';

// This file starts its own server, since CHECKPOINT needs a superuser.
let server: EmbeddedPostgres;
const stations: Station[] = [];
beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(async () => {
  for (const station of stations) await station.obey({ kind: 'close' });
  await server.stop();
});

/** Opens a crew whose members all work in this process. */
const openCrew = (name: string, tool: Tool = rowlock): Promise<Crew> =>
  Crew.open(
    {
      makeEmptyDatabase: async (database) => {
        await withConnection(server.url, (sql) => sql`CREATE DATABASE ${sql(database)}`);
        return Object.assign(new URL(server.url), { pathname: database }).href;
      },
      startTool: async () => {
        const station = new Station(tool);
        stations.push(station);
        return { ask: (order) => station.obey(order), stop: () => undefined };
      },
    },
    { folder: '', node: '' },
    'rowlock',
    2,
    name,
  );

/** Returns our queue with a changed function that runs a task. */
const running = (change: (run: Run) => Run): Tool => ({
  ...rowlock,
  async open(url) {
    const opened = await rowlock.open(url);
    return { ...opened, work: (run) => opened.work(change(run)) };
  },
});

const count = (crew: Crew, condition: string) =>
  withConnection(crew.url, async (sql) => {
    const [row] = await sql.unsafe(`SELECT count(*)::int AS tasks FROM tasks WHERE ${condition}`);
    return row?.tasks;
  });

test('the measurement of the throughput ends when every task is acknowledged', async () => {
  const crew = await openCrew('throughput');
  const { perSecond } = await measureThroughput(crew, 2, 500)();
  expect(perSecond).toBeGreaterThan(0);
  expect(await count(crew, "ended = 'done'")).toBe(500);
  await measureThroughput(crew, 1, 300)();
  expect(await count(crew, 'true')).toBe(300);
});

test('a task that begins twice makes the measurement fail', async () => {
  const twice = running((run) => async (payload) => {
    await run(payload);
    await run(payload);
  });
  const crew = await openCrew('twice', twice);
  await expect(measureThroughput(crew, 1, 50)()).rejects.toThrow(
    'rowlock: 50 tasks were made, but tasks began 100 times.',
  );
});

test('the time until a task begins is measured for tasks of the same process and of another process', async () => {
  const crew = await openCrew('pick_up');
  const figures = await measurePickUp(crew, 0.5)();
  expect(Object.keys(figures)).toEqual(['own p50', 'own p99', 'other p50', 'other p99']);
  for (const ms of Object.values(figures)) expect(ms).toBeGreaterThan(0);
  expect(figures['other p99']).toBeGreaterThanOrEqual(figures['other p50'] ?? 0);
});

test('the measured size is the space that the tasks add to the database', async () => {
  const crew = await openCrew('size');
  const { mb } = await measureSize(crew, 5_000);
  expect(mb).toBeGreaterThan(0.5);
  expect(mb).toBeLessThan(20);
});

test('the backlog is counted each second while a transaction is open', async () => {
  const crew = await openCrew('backlog');
  const backlog = await measureBacklog(crew, 2);
  expect(backlog).toHaveLength(2);
  for (const tasks of backlog) expect(tasks).toBeGreaterThanOrEqual(0);
  expect(await count(crew, 'true')).toBeGreaterThan(1_000);
});
