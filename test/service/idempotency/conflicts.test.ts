import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeApp } from '../../support/app.ts';

let made: Awaited<ReturnType<typeof makeApp>>;

/** Makes PostgreSQL fail the next `times` transactions at COMMIT with a serialization failure. */
const giveUp = async (times: number) => {
  await made.db.execute(sql`SELECT setval('left_to_fail', ${times + 1}::bigint)`);
};

beforeAll(async () => {
  made = await makeApp();
  // A rollback does not reset a sequence, so the sequence can count failed transactions.
  await made.db.execute(sql`
    CREATE SEQUENCE left_to_fail INCREMENT -1 MINVALUE -1000000 MAXVALUE 1000000 START 1`);
  await made.db.execute(sql`
    CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('left_to_fail') > 0 THEN
        RAISE EXCEPTION 'given up' USING ERRCODE = 'serialization_failure';
      END IF;
      RETURN NULL;
    END $$`);
  for (const table of ['companies', 'recruiters', 'jobs', 'job_claims'])
    await made.db.execute(sql`
      CREATE CONSTRAINT TRIGGER give_up AFTER INSERT OR UPDATE OR DELETE ON ${sql.identifier(table)}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION give_up()`);
});

let keys = 0;
const withKey = () => ({ 'Idempotency-Key': `key-${++keys}` });
const newJobsClaims = async () =>
  `/jobs/${(await made.call('POST', '/jobs', { companyId: 1, role: 'A job' })).body.id}/claims`;
const claimId = async () =>
  (await made.call('POST', await newJobsClaims(), { recruiterId: 1, leaseSeconds: 600 })).body.claim
    .id;

describe.each([
  ['without a key', () => ({})],
  ['with a key', withKey],
])('a transaction that fails with a serialization failure is tried again, %s', (_, headers) => {
  test.each([
    ['POST', 'a company', async () => '/companies', { name: 'New Company' }],
    ['POST', 'a recruiter', async () => '/recruiters', { name: 'New Recruiter' }],
    ['POST', 'a job', async () => '/jobs', { companyId: 1, role: 'A job' }],
    ['PATCH', 'a job', async () => '/jobs/2', { role: 'Another' }],
    ['POST', 'a claim', newJobsClaims, { recruiterId: 1 }],
    ['POST', 'a renewal', async () => `/claims/${await claimId()}/renew`, { leaseSeconds: 60 }],
    ['DELETE', 'a claim', async () => `/claims/${await claimId()}`, undefined],
  ])('%s of %s', async (method, _what, path, body) => {
    const at = await path();
    await giveUp(2);
    const { status } = await made.call(method, at, body, headers());
    expect(status).toBeLessThan(300);
    const [row] = await made.db.execute(sql`SELECT last_value::int AS left FROM left_to_fail`);
    expect(row?.left).toBe(0);
  });

  test('but only a limited number of times', async () => {
    await giveUp(100);
    const { status, body } = await made.call('POST', '/companies', { name: 'Never' }, headers());
    expect([status, body.code]).toEqual([503, 'busy']);
    await giveUp(0);
  });
});
