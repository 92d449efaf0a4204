import { expect, test, vi } from 'vitest';
import { databaseExists } from '../../../support/database.ts';
import { databaseOf, makeStages } from '../../../support/stages.ts';

test('a stage is lent again, and users at the same time have separate databases', async () => {
  const stages = makeStages();
  const first = await stages.use(databaseOf);
  expect(await stages.use(databaseOf)).toBe(first);
  const two = await Promise.all([stages.use(databaseOf), stages.use(databaseOf)]);
  expect(new Set(two).size).toBe(2);
  expect(two).toContain(first);
});

test('a stage that nobody uses is dropped with its database', async () => {
  const stages = makeStages({ idleMs: 10 });
  const name = (await stages.use(databaseOf)) as string;
  await vi.waitFor(async () => expect(await databaseExists(name)).toBe(false), { timeout: 20_000 });
  const next = (await stages.use(databaseOf)) as string;
  expect(next).not.toBe(name);
});
