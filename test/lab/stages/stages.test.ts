import postgres from 'postgres';
import { afterAll, expect, inject, test, vi } from 'vitest';
import { collectLog } from '../../support/app.ts';
import { databaseExists } from '../../support/database.ts';
import { databaseOf, makeStages } from '../../support/stages.ts';

const sql = postgres(inject('scratchUrl'), { max: 1, onnotice: () => undefined });
afterAll(() => sql.end());

/** Makes work that keeps its stage until the test ends the work. */
const holding = () => {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { letGo, held };
};

// test/slow/lab/stages/stages.test.ts has more tests.
test('if every stage is in use, a caller waits, and gets busy when a limit is reached', async () => {
  const stages = makeStages({ places: 1, longest: 1, waitMs: 10 });
  const { held, letGo } = holding();
  const used = stages.use(() => held);
  expect(await stages.use(databaseOf)).toEqual({ kind: 'busy' });
  const patient = makeStages({ places: 1, longest: 1 });
  const alsoUsed = patient.use(() => held);
  const waiting = patient.use(databaseOf);
  expect(await patient.use(databaseOf)).toEqual({ kind: 'busy' });
  letGo();
  await Promise.all([used, alsoUsed]);
  expect(await waiting).toMatch(/^rowlock_scratch_/);
});

test('a stage is not used again after its work has failed', async () => {
  const stages = makeStages();
  let name = '';
  const failing = stages.use(async (stage) => {
    name = await databaseOf(stage);
    throw new Error('it failed');
  });
  await expect(failing).rejects.toThrow('it failed');
  expect(await databaseExists(name)).toBe(false);
  expect(await stages.use(databaseOf)).not.toBe(name);
});

test('closing drops the databases of all stages, also of stages in use', async () => {
  const stages = makeStages();
  const { held, letGo } = holding();
  const names: string[] = [];
  const use = stages.use(async (stage) => {
    names.push(await databaseOf(stage));
    await held;
  });
  await vi.waitFor(() => expect(names).toHaveLength(1), { timeout: 20_000 });
  await stages.close();
  expect(await databaseExists(names[0] as string)).toBe(false);
  letGo();
  await use;
});

test('the log says why a stage failed', async () => {
  const { log, events } = collectLog();
  const stages = makeStages({}, undefined, log);
  await expect(stages.use((stage) => stage.run('no sql'))).rejects.toThrow();
  const event = 'the lab cannot use its database';
  expect(events).toEqual([expect.objectContaining({ event })]);
});

test('the log does not say that closing has ended the work on a stage', async () => {
  const { log, events } = collectLog();
  const stages = makeStages({}, undefined, log);
  const { held, letGo } = holding();
  let hasBegun = false;
  const used = stages.use(async (stage) => {
    hasBegun = true;
    await held;
    await stage.run('select');
  });
  await vi.waitFor(() => expect(hasBegun).toBe(true), { timeout: 20_000 });
  await stages.close();
  letGo();
  await expect(used).rejects.toThrow();
  expect(events).toEqual([]);
});

test('if the account lacks a right that a stage needs, the error names the right', async () => {
  const url = new URL(inject('scratchUrl'));
  await sql`create role rowlock_nobody login password 'secret'`;
  url.username = 'rowlock_nobody';
  url.password = 'secret';
  const stages = makeStages({}, url.href);
  await expect(stages.use(databaseOf)).rejects.toThrow(/permission denied to create database/);
  await sql`alter role rowlock_nobody createdb`;
  await expect(stages.use((stage) => stage.sessions(2))).rejects.toThrow(
    /no right to set deadlock_timeout/,
  );
  await stages.close();
  await sql`drop role rowlock_nobody`;
});
