import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { explore } from '../../../../src/explorer/explore.ts';
import type { ProgramOptions } from '../../../../src/lab/programs/options.ts';
import { pageOf } from '../../../support/pages.ts';
import {
  exploreProgram,
  installLibraries,
  replayAgain,
  withTrial,
} from '../../../support/programs.ts';

let folder: string;
beforeAll(async () => {
  folder = await installLibraries();
}, 300_000);

/** The part of each module that locks the job. */
const LOCKS: [string, string][] = [
  ['knex', '.forUpdate()'],
  ['sequelize', '{ transaction, lock }'],
  ['typeorm', ', lock }'],
];

describe.each(LOCKS)('the claim with %s', (name, lock) => {
  test('holds in every schedule', async () => {
    const { isComplete, schedules, faults } = await exploreProgram({
      module: path.join(folder, 'node', `${name}.mjs`),
    });
    expect({ isComplete, schedules, faults }).toEqual({
      ...{ isComplete: true, schedules: 8 },
      faults: {},
    });
  });

  test('oversells without its lock', async () => {
    const text = readFileSync(path.join(folder, 'node', `${name}.mjs`), 'utf8');
    expect(text).toContain(lock);
    const changed = path.join(folder, 'node', `${name}-without-lock.mjs`);
    writeFileSync(changed, text.replace(lock, lock.replace(/\.forUpdate\(\)|, lock/, '')));
    // Each session makes four steps: two reads, a write and a COMMIT.
    const { schedules, faults } = await exploreProgram({ module: changed });
    expect({ schedules, faults }).toEqual({ schedules: 70, faults: { oversold: 60 } });
  });
});

/** Knex has far too many schedules to play all of them. The study also played 100 schedules. */
const MOST_OF_KNEX = 100;
const REPLAYS = 20;

const optionsOf = (name: string, schema: string, invariant: string): ProgramOptions => ({
  module: path.join(folder, 'published', `${name}.mjs`),
  schema: path.join(folder, 'published', `${schema}.sql`),
  invariant,
});

const TWO_LOCKS = 'select count(*) as locks from knex_migrations_lock having count(*) > 1';
const TWO_ACCOUNTS = 'select email from accounts group by email having count(*) > 1';
const NOTHING = 'select where false';

const before = [
  ['knex-0.95.11', 'knex', TWO_LOCKS, 'violated'],
  ['knex-0.95.12', 'knex', TWO_LOCKS, 'violated'],
  ['knex-newest', 'knex', TWO_LOCKS, 'violated'],
  ['node-pg-migrate-5.10.0', 'node-pg-migrate', NOTHING, 'error'],
  ['sequelize-6.7.0', 'sequelize', TWO_ACCOUNTS, 'error'],
] as const;

const after = [
  ['node-pg-migrate-6.0.0', 'node-pg-migrate', NOTHING],
  ['sequelize-6.8.0', 'sequelize', TWO_ACCOUNTS],
] as const;

/** Returns the row of this module in the table: its schedules, its faulty schedules, and more. */
function inTable(name: string): string[] {
  const [, row = ''] = new RegExp(`^\\| \`${name}\` \\|(.*)\\|$`, 'm').exec(page) ?? [];
  return row.split('|').map((cell) => cell.trim());
}
const page = pageOf('docs/published-bugs.md').text;

describe('a published bug', () => {
  test.each(before)(
    `of %s has a counterexample that fails in each of ${REPLAYS} replays`,
    async (...row) => {
      const [name, schema, invariant, fault] = row;
      await withTrial(optionsOf(name, schema, invariant), async (stage, trial) => {
        const { schedules, faults, counterexamples } = await explore(stage, trial, {
          most: schema === 'knex' ? MOST_OF_KNEX : undefined,
        });
        const found = counterexamples[fault];
        if (!found) throw new Error(`no schedule of ${name} goes wrong`);
        expect([schedules, faults[fault]].map(String)).toEqual(inTable(name).slice(0, 2));
        const again = await replayAgain(stage, trial, found, REPLAYS);
        expect(again.map(({ faults }) => faults)).toEqual(again.map(() => found.faults));
      });
    },
  );

  test.each(after)(
    'is mended in %s, which has no fault in any schedule',
    async (name, schema, invariant) => {
      const { isComplete, schedules, faults } = await exploreProgram(
        optionsOf(name, schema, invariant),
      );
      expect({ isComplete, faults }).toEqual({ isComplete: true, faults: {} });
      expect([schedules, 0].map(String)).toEqual(inTable(name).slice(0, 2));
    },
  );
});
