import postgres from 'postgres';
import { afterAll, expect, inject, test, vi } from 'vitest';
import type { Stage } from '../../../src/lab/explore/stage.ts';
import { openStage, PLAY_LIMITS } from '../../../src/lab/stages/lab-stages.ts';
import { Stages, type StagesLimits } from '../../../src/lab/stages/stages.ts';
import { collectLog } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';

const sql = postgres(inject('scratchUrl'), { max: 1, onnotice: () => undefined });
afterAll(() => sql.end());

const makeStages = (limits: Partial<StagesLimits> = {}, url = inject('scratchUrl')) => {
  const { log } = collectLog();
  const all = { ...PLAY_LIMITS, ...limits };
  const stages = new Stages(url, all, log, openStage);
  atEnd(() => stages.close());
  return stages;
};

const databaseOf = async (stage: Stage): Promise<string> => {
  const [row] = await stage.run('select current_database() as name');
  return (row as { name: string }).name;
};
const exists = async (name: string) =>
  (await sql`select 1 from pg_database where datname = ${name}`).length > 0;

/** Work that keeps its stage until the test ends the work. */
const holding = () => {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { letGo, held };
};

test('a stage is lent again, and those who use one at once have each their own database', async () => {
  const stages = makeStages();
  const first = await stages.use(databaseOf);
  expect(await stages.use(databaseOf)).toBe(first);
  const two = await Promise.all([stages.use(databaseOf), stages.use(databaseOf)]);
  expect(new Set(two).size).toBe(2);
  expect(two).toContain(first);
});

test('who finds every stage lent waits, and is told busy past the limits', async () => {
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

test('a stage that nobody uses is dropped with its database', async () => {
  const stages = makeStages({ idleMs: 10 });
  const name = (await stages.use(databaseOf)) as string;
  await vi.waitFor(async () => expect(await exists(name)).toBe(false), { timeout: 20_000 });
  const next = (await stages.use(databaseOf)) as string;
  expect(next).not.toBe(name);
});

test('a stage on which something failed is not lent again', async () => {
  const stages = makeStages();
  let name = '';
  const failing = stages.use(async (stage) => {
    name = await databaseOf(stage);
    throw new Error('it failed');
  });
  await expect(failing).rejects.toThrow('it failed');
  expect(await exists(name)).toBe(false);
  expect(await stages.use(databaseOf)).not.toBe(name);
});

test('closing drops the databases, of stages in use too', async () => {
  const stages = makeStages();
  const { held, letGo } = holding();
  const names: string[] = [];
  const use = stages.use(async (stage) => {
    names.push(await databaseOf(stage));
    await held;
  });
  await vi.waitFor(() => expect(names).toHaveLength(1), { timeout: 20_000 });
  await stages.close();
  expect(await exists(names[0] as string)).toBe(false);
  letGo();
  await use;
});

test('an account that may not do what a stage needs is told so in words', async () => {
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
