import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '../../../../src/db/client.ts';
import { claims } from '../../../../src/lab/chapters/claims/index.ts';
import { crowdCheck } from '../../../../src/lab/judge/judge.ts';
import { makeStage } from '../../../support/stage.ts';

test('a crowd that waits for a lock that a session kept falls, and the statement is named', async () => {
  const strategy = {
    ...{ name: 'keeps-lock', idea: '', promise: 'capacity' as const },
    async claim(db: Database) {
      await db.execute(sql`select pg_advisory_lock(4713)`);
      return { kind: 'no-such-job' as const };
    },
  };
  const judged = { chapter: claims, strategy };
  const check = await crowdCheck(await makeStage(), judged, () => undefined);
  expect(check).toMatchObject({ fault: 'hang', holds: false });
  expect(check.detail).toMatch(
    /^S\d waits for a lock that S\d kept after the end, by select pg_advisory_lock\(4713\), in round 1$/,
  );
});
