import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { claims } from '../../../src/lab/chapters/claims/index.ts';
import { CROWD, crowdCheck } from '../../../src/lab/judge/judge.ts';
import type { Database } from '../../../src/platform/db/client.ts';
import { makeStage } from '../../support/stage.ts';

/**
 * Checks a strategy that refuses everybody in the first round, and runs `inSecondRound` in the
 * second round.
 */
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

test.concurrent('a strategy falls if a crowd waits for a lock that a session kept, and the report names the statement', async () => {
  const check = await checkWith((db) => db.execute(sql`select pg_advisory_lock(4713)`));
  expect(check).toMatchObject({ fault: 'unsold', holds: false });
  expect(check.detail).toMatch(
    /^2 rounds, unsold in 1, hang in 1: S\d waits for a lock that S\d kept after the end, by select pg_advisory_lock\(4713\)$/,
  );
});

test.concurrent('a strategy that hangs in its second round falls for the fault of its first round', async () => {
  const check = await checkWith(() => new Promise(() => undefined));
  expect(check).toMatchObject({ fault: 'unsold', holds: false });
  expect(check.detail).toBe(
    '2 rounds, unsold in 1, hang in 1: a session did not end at full speed',
  );
});

test.concurrent('a strategy that uses db inside a transaction of db, and then hangs, gets no verdict', async () => {
  const hangs = (db: Database) =>
    db.transaction(() => db.execute(sql`select 1`)).catch(() => new Promise(() => undefined));
  await expect(checkWith(hangs)).rejects.toThrow('db was used inside a transaction of db');
});
