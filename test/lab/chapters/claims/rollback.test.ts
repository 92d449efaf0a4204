import { type SQL, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { claimTrial } from '../../../../src/lab/chapters/claims/trial.ts';
import type { Database } from '../../../../src/platform/db/client.ts';
import { insertClaim } from '../../../../src/service/claims/queries.ts';
import type { ClaimRequest, Outcome } from '../../../../src/service/claims/rules.ts';
import { situationNamed } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
  await stage.run(`create function take(job bigint, recruiter bigint) returns void language sql
    as 'insert into job_claims (job_id, recruiter_id) values (job, recruiter)'`);
});

/**
 * Lets one recruiter claim in the situation `rollback`. Returns the statements, the endings, and
 * the number of claims at the end.
 */
async function claimedBy(claim: (db: Database, request: ClaimRequest) => Promise<unknown>) {
  const claimed = { kind: 'claimed' } as Outcome;
  const strategy = {
    claim: (db: Database, request: ClaimRequest) => claim(db, request).then(() => claimed),
  };
  const played = await replay(stage, claimTrial(strategy, situationNamed('rollback'), 1), []);
  const { steps, endings, summary } = tell(played);
  const statements = steps.flatMap(({ acts }) => acts.map(({ statement }) => statement));
  return { statements, endings, summary };
}

const ids = ({ jobId, recruiterId }: ClaimRequest) => sql.raw(`(${jobId}, ${recruiterId})`);
const INTO_CLAIMS = sql`insert into job_claims (job_id, recruiter_id) values`;

const writes: [string, (request: ClaimRequest) => SQL][] = [
  ['names the table', (request) => sql`${INTO_CLAIMS} ${ids(request)}`],
  [
    'names the schema',
    (request) => sql`insert into public.job_claims (job_id, recruiter_id) values ${ids(request)}`,
  ],
  [
    'quotes both names',
    (request) =>
      sql`insert into "public"."job_claims" (job_id, recruiter_id) values ${ids(request)}`,
  ],
  [
    'breaks the line after INTO',
    (request) => sql`insert into
    job_claims (job_id, recruiter_id) values ${ids(request)}`,
  ],
  [
    'is a MERGE',
    (request) => sql`merge into job_claims using (values ${ids(request)}) wanted (job, recruiter)
    on job_id = job and recruiter_id = recruiter
    when not matched then insert (job_id, recruiter_id) values (job, recruiter)`,
  ],
  ['is a DO block', (request) => sql`do $$ begin ${INTO_CLAIMS} ${ids(request)}; end $$`],
];

describe('the trial rolls back the first transaction that writes a claim, if its statement', () => {
  test.each(writes)('%s', async (_, textOf) => {
    const lone = await claimedBy((db, request) => db.execute(textOf(request)));
    expect(lone.statements.slice(1)).toEqual(['rollback']);
    expect(lone.endings).toEqual(['ERROR: RolledBackByTrial']);
    expect(lone.summary).toBe('3 claims, 4 slots');
    const whole = await claimedBy((db, request) =>
      db.transaction((tx) => tx.execute(textOf(request))),
    );
    expect(whole.statements.slice(1)).toEqual(['rollback']);
    expect(whole.summary).toBe('3 claims, 4 slots');
  });

  test('calls a function that inserts, in a transaction', async () => {
    const { statements, summary } = await claimedBy((db, request) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select take${ids(request)}`);
      }),
    );
    expect(statements.at(-1)).toBe('rollback');
    expect(summary).toBe('3 claims, 4 slots');
  });
});

describe('the trial does not roll back', () => {
  test('a transaction that only reads and locks claims', async () => {
    const { statements } = await claimedBy((db) =>
      db.transaction((tx) => tx.execute(sql`select from job_claims for update`)),
    );
    expect(statements.at(-1)).toBe('commit');
  });

  test('a transaction that has already rolled its claim back to a savepoint', async () => {
    const { statements } = await claimedBy((db, request) =>
      db.transaction(async (tx) => {
        await tx
          .transaction((inner) => insertClaim(inner, request).then(() => Promise.reject()))
          .catch(() => undefined);
      }),
    );
    expect(statements.at(-1)).toBe('commit');
  });

  test('a transaction after a DO block that has committed the claim', async () => {
    const { statements, summary } = await claimedBy(async (db, request) => {
      const values = `(${request.jobId}, ${request.recruiterId})`;
      await db.execute(
        sql.raw(`do $$ begin
        insert into job_claims (job_id, recruiter_id) values ${values};
        commit;
      end $$`),
      );
      await db.transaction((tx) => tx.execute(sql`select from job_claims`));
    });
    expect(statements.at(-1)).toBe('commit');
    expect(summary).toBe('4 claims, 4 slots');
  });

  test('a second transaction that writes a claim', async () => {
    const { statements, summary } = await claimedBy(async (db, request) => {
      await insertClaim(db, request).catch(() => undefined);
      await insertClaim(db, request);
    });
    expect(statements.at(-1)).toBe('commit');
    expect(summary).toBe('4 claims, 4 slots');
  });
});
