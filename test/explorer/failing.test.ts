import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { explore, replay } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import type { Program, Trial } from '../../src/explorer/trial.ts';
import type { Database } from '../../src/platform/db/client.ts';
import { databaseError } from '../../src/platform/db/sqlstate.ts';
import { companies } from '../../src/service/database/schema.ts';
import { makeStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const first = eq(companies.id, 1n);
const append = (db: Pick<Database, 'update'>) =>
  db
    .update(companies)
    .set({ name: sql`${companies.name} || 'a'::text` })
    .where(first);
const read = (db: Pick<Database, 'select'>) => db.select().from(companies).where(first);

/** Makes a trial. `seen` gets the name of the company at the end of each schedule. */
function trialOf(sessions: Program[]) {
  const seen: unknown[] = [];
  const trial: Trial = {
    fails: 1,
    async setUp(admin) {
      const text = "update companies set name = '' where id = 1";
      await admin.run({ text, params: [], asArrays: false });
    },
    sessions,
    async judge(admin) {
      const text = 'select name from companies where id = 1';
      const [row] = await admin.run({ text, params: [], asArrays: true });
      seen.push(row);
      return { faults: [], summary: 'over' };
    },
  };
  return { trial, seen };
}

describe('a statement that the scheduler lets fail', () => {
  test('does nothing, and its error is no fault', async () => {
    const { trial, seen } = trialOf([(db) => db.transaction((tx) => append(tx))]);
    const found = await explore(stage, trial);
    // The UPDATE may fail, and COMMIT never fails.
    expect([found.schedules, found.faults]).toEqual([2, {}]);
    expect(seen).toEqual([['a'], ['']]);
  });

  test('is a real error of PostgreSQL, which aborts the transaction', async () => {
    const codes: unknown[] = [];
    const note = (error: unknown) => void codes.push(databaseError(error)?.code);
    const program: Program = (db) =>
      db.transaction(async (tx) => {
        await append(tx).catch(note);
        await read(tx).catch(note);
      });
    const { trial, seen } = trialOf([program]);
    const played = await replay(stage, trial, ['f1', '1', '1']);
    expect(codes).toEqual(['57014', '25P02']);
    expect(seen).toEqual([['']]);
    const { transcript } = tell(played);
    expect(transcript).toContain('-- the next statement of S1 fails --');
    expect(transcript).toContain('ERROR: statement canceled');
  });

  test('may be an autocommit write, and comes once in a schedule, in one session', async () => {
    const again: Program = (db) => append(db).catch(() => append(db));
    const schedules: string[] = [];
    const { trial, seen } = trialOf([again, read]);
    await explore(stage, trial, { onPlayed: ({ schedule }) => schedules.push(schedule.join()) });
    // Two steps and one step have three orders. With a failure there is one more step.
    expect(schedules).toHaveLength(3 + 4);
    expect(schedules.filter((each) => each.includes('f1'))).toHaveLength(4);
    expect(schedules.join()).not.toContain('f2');
    expect(schedules.filter((each) => each.match(/f1/g)?.length === 2)).toEqual([]);
    expect(new Set(seen.map(String))).toEqual(new Set(['a']));
  });
});
