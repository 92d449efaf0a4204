import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimJob } from '../../src/claims/claim.ts';
import { changeSlots, inTransaction, type Subscriber } from '../../src/claims/slots.ts';
import { clearClaims } from '../../src/operation/clearing.ts';
import { makeApp } from '../support/app.ts';
import { doorTo } from '../support/door.ts';

/** A subscriber. It writes each event into a table, in the transaction of the change. */
const writeDown: Subscriber = async (tx, events) => {
  for (const event of events) {
    const [jobId, words] =
      event.kind === 'resized'
        ? [event.jobId, `${event.from} to ${event.to}`]
        : [event.claim.jobId, `recruiter ${event.claim.recruiterId}`];
    await tx.execute(sql`INSERT INTO told (job_id, event) VALUES
      (${jobId}, ${`${event.kind}: ${words}`})`);
  }
};
const refuse: Subscriber = async () => {
  throw new Error('a subscriber fails');
};

let made: Awaited<ReturnType<typeof makeApp>>;

async function makeTold(...subscribers: Subscriber[]) {
  const told = await makeApp({ subscribers });
  await told.db.execute(sql`
    CREATE TABLE told (id bigint GENERATED ALWAYS AS IDENTITY, job_id bigint, event text)`);
  return told;
}

/** The events in the table since the last call. */
async function heard({ db } = made): Promise<string[]> {
  const rows = await db.execute(sql`SELECT job_id, event FROM told ORDER BY id`);
  await db.execute(sql`TRUNCATE told`);
  return rows.map(({ job_id, event }) => `job ${job_id} ${event}`);
}

const claimsIn = async ({ db } = made) =>
  (
    await db.execute(sql`SELECT job_id::int AS job, recruiter_id::int AS recruiter FROM job_claims
    ORDER BY id`)
  ).map(({ job, recruiter }) => [job, recruiter]);

const claim = async (jobId: number, recruiterId: number, leaseSeconds?: number) => {
  const path = `/jobs/${jobId}/claims`;
  const { status, body } = await made.call('POST', path, { recruiterId, leaseSeconds });
  expect(status).toBe(201);
  return body.claim.id as number;
};
const letLeasesEnd = () =>
  made.db.execute(sql`UPDATE job_claims SET expires_at = statement_timestamp()`);

beforeEach(async () => {
  made = await makeTold(writeDown);
});

describe('a subscriber hears, inside the transaction,', () => {
  test('of each claim, of many jobs at once too', async () => {
    await Promise.all([claim(1, 1), claim(2, 1), claim(1, 2)]);
    const [transactions] = await made.db.execute(sql`
      SELECT count(DISTINCT xmin::text)::int AS count FROM told`);
    expect(transactions).toEqual({ count: 1 });
    expect((await heard()).sort()).toEqual([
      'job 1 claimed: recruiter 1',
      'job 1 claimed: recruiter 2',
      'job 2 claimed: recruiter 1',
    ]);
  });

  test('of a claim with an idempotency key, once', async () => {
    const path = '/claim-job?jobId=1&recruiterId=1';
    const headers = { 'Idempotency-Key': 'a-key' };
    for (let times = 0; times < 2; times++)
      expect((await made.call('GET', path, undefined, headers)).status).toBe(200);
    expect(await heard()).toEqual(['job 1 claimed: recruiter 1']);
  });

  test('of a release', async () => {
    const id = await claim(1, 1);
    await heard();
    expect((await made.call('DELETE', `/claims/${id}`)).status).toBe(200);
    expect(await heard()).toEqual(['job 1 released: recruiter 1']);
  });

  test('of a renewal', async () => {
    const id = await claim(1, 1, 60);
    await heard();
    const { status } = await made.call('POST', `/claims/${id}/renew`, { leaseSeconds: 60 });
    expect(status).toBe(200);
    expect(await heard()).toEqual(['job 1 renewed: recruiter 1']);
  });

  test('of claims that have expired, when a claim removes them', async () => {
    await claim(1, 1, 60);
    await claim(1, 2, 60);
    await letLeasesEnd();
    await heard();
    await claim(1, 3);
    expect(await heard()).toEqual([
      'job 1 expired: recruiter 1',
      'job 1 expired: recruiter 2',
      'job 1 claimed: recruiter 3',
    ]);
    expect(await clearClaims(doorTo(made.db, writeDown))).toBe(0);
    expect(await heard()).toEqual([]);
  });

  test('of claims that have expired, when the clearing removes them', async () => {
    await claim(1, 1, 60);
    await claim(2, 1, 60);
    await letLeasesEnd();
    await heard();
    expect(await clearClaims(doorTo(made.db, writeDown))).toBe(2);
    expect((await heard()).sort()).toEqual([
      'job 1 expired: recruiter 1',
      'job 2 expired: recruiter 1',
    ]);
    await claim(1, 1);
    expect(await heard()).toEqual(['job 1 claimed: recruiter 1']);
  });

  test('of each expired claim once, while claims and the clearing remove them at once', async () => {
    const jobIds = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const jobId of jobIds) await claim(jobId, 1, 60);
    await letLeasesEnd();
    await heard();
    const clearing = async () => {
      for (let times = 0; times < 5; times++) await clearClaims(doorTo(made.db, writeDown));
    };
    await Promise.all([clearing(), ...jobIds.map((jobId) => claim(jobId, 2))]);
    await clearing();
    const expired = (await heard()).filter((event) => event.includes('expired'));
    expect(expired.sort()).toEqual(
      jobIds.map((jobId) => `job ${jobId} expired: recruiter 1`).sort(),
    );
  });

  test('of another capacity', async () => {
    expect((await made.call('PATCH', '/jobs/1', { capacity: 7 })).status).toBe(200);
    expect(await heard()).toEqual(['job 1 resized: 4 to 7']);
  });

  test('of the expired claims that made room for a smaller capacity, before the capacity', async () => {
    await claim(1, 1, 60);
    await letLeasesEnd();
    await claim(2, 2);
    await heard();
    expect((await made.call('PATCH', '/jobs/1', { capacity: 1 })).status).toBe(200);
    expect(await heard()).toEqual(['job 1 expired: recruiter 1', 'job 1 resized: 4 to 1']);
  });
});

describe('a subscriber hears nothing', () => {
  test('of a change that is refused', async () => {
    await made.call('PATCH', '/jobs/1', { capacity: 1 });
    const id = await claim(1, 1);
    await heard();
    const refused = [
      await made.call('POST', '/jobs/1/claims', { recruiterId: 1 }),
      await made.call('POST', '/jobs/1/claims', { recruiterId: 2 }),
      await made.call('POST', '/jobs/2/claims', { recruiterId: 9_000_000 }),
      await made.call('POST', `/claims/${id}/renew`, { leaseSeconds: 60 }),
      await made.call('DELETE', '/claims/9000000'),
    ];
    expect(refused.map(({ status }) => status)).toEqual([409, 403, 404, 409, 404]);
    const same = { role: 'Another role', capacity: 1 };
    expect((await made.call('PATCH', '/jobs/1', same)).status).toBe(200);
    expect(await heard()).toEqual([]);
  });

  test('of a change that is rolled back', async () => {
    const undone = inTransaction(doorTo(made.db), async ({ db }) => {
      const outcome = await claimJob(doorTo(db, writeDown), { jobId: 1n, recruiterId: 1n });
      expect(outcome.kind).toBe('claimed');
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    expect(await heard()).toEqual([]);
    expect(await claimsIn()).toEqual([]);
  });
});

test('an error of a subscriber undoes the change, and what other subscribers have written', async () => {
  made = await makeTold(writeDown, refuse);
  const withKey = { 'Idempotency-Key': 'a-key' };
  for (const headers of [undefined, withKey]) {
    const answer = await made.call('POST', '/jobs/1/claims', { recruiterId: 1 }, headers);
    expect(answer.status).toBe(500);
  }
  const { status } = await made.call('PATCH', '/jobs/1', { capacity: 7, role: 'Another' });
  expect(status).toBe(500);
  expect(await heard()).toEqual([]);
  expect(await claimsIn()).toEqual([]);
  expect((await made.call('GET', '/jobs/1')).body).toMatchObject({ capacity: 4 });
});

test('a slot of a job that is not locked cannot be changed', async () => {
  const id = await claim(2, 1);
  const changing = inTransaction(doorTo(made.db), (within) =>
    changeSlots(within, { jobIds: [1n] }, (slots) => slots.release(BigInt(id))),
  );
  await expect(changing).rejects.toThrow('without the lock of its job');
  expect(await claimsIn()).toEqual([[2, 1]]);
});
