import { expect, test } from 'vitest';
import { labMount } from '../../../../src/lab/mount.ts';
import { race } from '../../../../src/lab/race/race.ts';
import { Trace } from '../../../../src/lab/race/trace.ts';
import { startService } from '../../../../src/service/program/service.ts';
import { collectLog } from '../../../support/app.ts';
import { makeLabDatabase } from '../../../support/database.ts';

test('a trace shows the requests, statements and waits of each session, and who held the lock', async () => {
  const databaseUrl = await makeLabDatabase();
  const trace = new Trace();
  const { log } = collectLog();
  const options = { databaseUrl, host: '127.0.0.1', port: 0, log, mounts: [labMount({ trace })] };
  const service = await startService(options);
  trace.startRound('row-lock, round 1');
  const strategy = { chapter: 'claims', name: 'row-lock', promise: 'capacity' };
  const order = { sessions: 8, capacity: 4, rounds: 5 };
  await race(service.url, strategy, order, () => undefined, new AbortController().signal);
  // The trace watches a database that is dropped with the service.
  const { traceEvents } = await trace.end();
  await service.stop();

  const tracks = traceEvents.filter(({ name }) => name === 'thread_name');
  expect(new Set(tracks.map(({ tid }) => tid)).size).toBe(8);
  const slices = traceEvents.filter(({ ph }) => ph === 'X');
  expect(slices.every(({ dur = -1, ts }) => dur >= 0 && ts > 0)).toBe(true);
  expect(slices.filter(({ name }) => name === 'request')).toHaveLength(40);
  expect(slices.filter(({ name }) => name === 'insert into')).toHaveLength(20);

  const requests = slices.filter(({ name }) => name === 'request');
  const waits = slices.filter(({ name }) => name.startsWith('waits for session'));
  expect(waits.length).toBeGreaterThan(0);
  for (const { tid, ts } of waits)
    expect(requests.some((request) => request.tid === tid && request.ts <= ts)).toBe(true);
  const arrows = (phase: string) =>
    traceEvents.filter(({ ph }) => ph === phase).map(({ id }) => id);
  expect(arrows('s')).toEqual(arrows('f'));
  expect(arrows('s')).toHaveLength(waits.length);
});
