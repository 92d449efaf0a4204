import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { changeSlots, type LockedSlots } from '../../../src/service/claims/slots.ts';
import { makeApp } from '../../support/app.ts';

test.each([
  ['released', (slots: LockedSlots, id: bigint) => slots.release({ id, jobId: 2n })],
  ['renewed', (slots: LockedSlots, id: bigint) => slots.renew(id, 60)],
  ['resized', (slots: LockedSlots) => slots.resize(2n, 7)],
  ['claimed', (slots: LockedSlots) => slots.claim([{ jobId: 2n, recruiterId: 2n }])],
])('without the lock of the job, its slots cannot be %s', async (_, change) => {
  const { db, call } = await makeApp();
  const made = await call('POST', '/jobs/2/claims', { recruiterId: 1, leaseSeconds: 60 });
  const changing = db.transaction((tx) =>
    changeSlots<unknown>(tx, { jobIds: [1n] }, (slots) =>
      change(slots, BigInt(made.body.claim.id)),
    ),
  );
  await expect(changing).rejects.toThrow('without the lock of its job');
  const { body } = await call('GET', '/jobs/2/claims');
  expect(body).toMatchObject({ claims: [made.body.claim], capacity: 4 });
});

test('the event of a claim does not count a lease that ended after the holders were read', async () => {
  const { db, call } = await makeApp();
  for (const recruiterId of [1, 2])
    await call('POST', '/jobs/1/claims', { recruiterId, leaseSeconds: 60 });
  const endLease = (recruiterId: number) => sql`
    UPDATE job_claims SET expires_at = statement_timestamp() WHERE recruiter_id = ${recruiterId}`;
  await db.execute(endLease(1));
  await db.transaction((tx) =>
    changeSlots(tx, { jobIds: [1n] }, async (slots) => {
      expect(slots.jobs.get(1n)).toMatchObject({ recruiters: new Set([2n]), expired: true });
      await tx.execute(endLease(2));
      await slots.claim([{ jobId: 1n, recruiterId: 3n }]);
    }),
  );
  const [newest] = await db.execute(
    sql`SELECT kind, claimed FROM events WHERE job_id = 1 ORDER BY number DESC LIMIT 1`,
  );
  expect(newest).toEqual({ kind: 'claimed', claimed: 1 });
});
