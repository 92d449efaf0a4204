import { expect, test } from 'vitest';
import { changeSlots, type LockedSlots } from '../../../src/service/claims/slots.ts';
import { makeApp } from '../../support/app.ts';

test.each([
  ['released', (slots: LockedSlots, id: bigint) => slots.release(id)],
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
