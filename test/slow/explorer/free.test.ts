import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '../../../../src/db/client.ts';
import { claims } from '../../../../src/lab/chapters/claims/index.ts';
import { CROWD, crowdCheck } from '../../../../src/lab/judge/judge.ts';
import { makeStage } from '../../../support/stage.ts';

/** In the second round, the strategy does this. In the first round, it refuses everybody. */
async function checkWith(inSecondRound: (db: Database) => Promise<unknown>) {
  let calls = 0;
  const strategy = {
    ...{ name: 'mine', idea: '', promise: 'capacity' as const },
    async claim(db: Database) {
      if (++calls > CROWD.sessions) await inSecondRound(db);
      return { kind: 'full' as const };
    },
  };
  return crowdCheck(await makeStage(), { chapter: claims, strategy }, () => undefined);
}

test.concurrent('a crowd that waits for a lock that a session kept falls, and the statement is named', async () => {
  const check = await checkWith((db) => db.execute(sql`select pg_advisory_lock(4713)`));
  expect(check).toMatchObject({ fault: 'unsold', holds: false });
  expect(check.detail).toMatch(
    /^2 rounds, unsold in 1, hang in 1: S\d waits for a lock that S\d kept after the end, by select pg_advisory_lock\(4713\)$/,
  );
});

test.concurrent('a crowd falls for the fault of a round before it hangs', async () => {
  const check = await checkWith(() => new Promise(() => undefined));
  expect(check).toMatchObject({ fault: 'unsold', holds: false });
  expect(check.detail).toBe(
    '2 rounds, unsold in 1, hang in 1: a session did not end at full speed',
  );
});

test.concurrent('a crowd that hangs after db inside a transaction of db has no verdict', async () => {
  const hangs = (db: Database) =>
    db.transaction(() => db.execute(sql`select 1`)).catch(() => new Promise(() => undefined));
  await expect(checkWith(hangs)).rejects.toThrow('db was used inside a transaction of db');
});
