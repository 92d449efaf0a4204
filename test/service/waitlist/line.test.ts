import { type SQL, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Transaction } from '../../../src/platform/db/client.ts';
import { insertOffers } from '../../../src/service/claims/line.ts';
import { clearAll } from '../../../src/service/operation/clearing.ts';
import { readPlaces } from '../../../src/service/waitlist/queries.ts';
import { makeApp } from '../../support/app.ts';
import { whileHeld } from '../../support/locks.ts';

const JOB = 1;

let made: Awaited<ReturnType<typeof makeApp>>;

beforeEach(async () => {
  made = await makeApp();
});

const run = (statement: SQL) => made.db.execute(statement);
const claim = async (recruiterId: number, more: object = {}) =>
  (await made.call('POST', `/jobs/${JOB}/claims`, { recruiterId, ...more })).body;
const join = (recruiterId: number, jobId = JOB) =>
  made.call('POST', `/jobs/${jobId}/waitlist`, { recruiterId });
const leave = (recruiterId: number) => made.call('DELETE', `/jobs/${JOB}/waitlist/${recruiterId}`);
const placeOf = async (recruiterId: number) =>
  (await made.call('GET', `/jobs/${JOB}/waitlist/${recruiterId}`)).body;
const release = (id: number | string) => made.call('DELETE', `/claims/${id}`);
const accept = (id: number | string, more: object = {}) =>
  made.call('POST', `/claims/${id}/accept`, more);
const change = (settings: object, jobId = JOB) =>
  made.call('PATCH', `/jobs/${jobId}/waitlist`, settings);
/** Ends a lease as time does, without the trigger of a renewal. */
const letLeaseEnd = (recruiterId: number) =>
  made.db.transaction(async (tx) => {
    await tx.execute(sql`SET LOCAL session_replication_role = replica`);
    await tx.execute(sql`
      UPDATE job_claims SET expires_at = statement_timestamp() WHERE recruiter_id = ${recruiterId}`);
  });

/** Fills the job. The recruiters 1 to 4 hold its slots. Returns the ids of their claims. */
async function fill(more: object = {}): Promise<number[]> {
  const ids = [];
  for (let recruiterId = 1; recruiterId <= 4; recruiterId++)
    ids.push((await claim(recruiterId, more)).claim.id);
  return ids;
}

/** Returns who holds a slot, and who waits in which order. */
async function state() {
  const holders = await run(sql`
    SELECT recruiter_id::int AS id, EXISTS (SELECT FROM waitlist WHERE claim_id = job_claims.id) AS offer
    FROM job_claims WHERE job_id = ${JOB}
      AND (expires_at IS NULL OR expires_at > statement_timestamp()) ORDER BY recruiter_id`);
  const line = await run(sql`
    SELECT recruiter_id::int AS id FROM waitlist WHERE job_id = ${JOB} AND claim_id IS NULL ORDER BY id`);
  return {
    holders: holders.map(({ id, offer }) => (offer ? `offer to ${id}` : id)),
    line: line.map(({ id }) => id),
  };
}

/** Returns the events of the job since the event with this number. */
async function eventsSince(number: number): Promise<string[]> {
  const rows = await run(sql`
    SELECT format('%s by %s, %s of %s, %s wait', kind, recruiter_id, claimed, capacity, waiting) AS words
    FROM events WHERE job_id = ${JOB} AND number > ${number} ORDER BY number`);
  return rows.map(({ words }) => String(words));
}
const newest = async () => {
  const [row] = await run(sql`SELECT max(number) AS number FROM events WHERE job_id = ${JOB}`);
  return Number(row?.number ?? 0);
};

describe('a free slot goes to the first in line', () => {
  test('when a claim is released', async () => {
    const [first = 0] = await fill();
    for (const recruiterId of [5, 6]) expect((await join(recruiterId)).status).toBe(200);
    expect((await release(first)).body).toMatchObject({ claimed: 4, remaining: 0 });
    expect(await state()).toEqual({ holders: [2, 3, 4, 'offer to 5'], line: [6] });
  });

  test('when two claims are released at the same time', async () => {
    const [first = 0, second = 0] = await fill();
    for (const recruiterId of [7, 5, 6]) await join(recruiterId);
    await Promise.all([release(first), release(second)]);
    expect(await state()).toEqual({ holders: [3, 4, 'offer to 5', 'offer to 7'], line: [6] });
  });

  test('when a lease ends and the cleanup finds it', async () => {
    await fill({ leaseSeconds: 60 });
    await join(5);
    await letLeaseEnd(2);
    await clearAll(made.db);
    expect(await state()).toEqual({ holders: [1, 3, 4, 'offer to 5'], line: [] });
  });

  test('when the capacity grows, for as many slots as are free', async () => {
    await fill();
    for (const recruiterId of [5, 6, 7]) await join(recruiterId);
    await made.call('PATCH', `/jobs/${JOB}`, { capacity: 6 });
    expect(await state()).toEqual({ holders: [1, 2, 3, 4, 'offer to 5', 'offer to 6'], line: [7] });
  });

  test('at the next cleanup, when a claim is deleted by plain SQL', async () => {
    await fill();
    await join(5);
    await run(sql`DELETE FROM job_claims WHERE recruiter_id = 3`);
    expect((await state()).line).toEqual([5]);
    await clearAll(made.db);
    expect(await state()).toEqual({ holders: [1, 2, 4, 'offer to 5'], line: [] });
  });

  test('only in the transaction that has locked the job, because the driver may send the statement again after COMMIT', async () => {
    await fill();
    await join(5);
    await run(sql`DELETE FROM job_claims WHERE recruiter_id = 3`);
    const alone = made.db as unknown as Transaction;
    expect(await insertOffers(alone, [BigInt(JOB)])).toEqual([]);
    expect(await state()).toEqual({ holders: [1, 2, 4], line: [5] });
  });

  test('when the first in line declines an offer', async () => {
    const [first = 0] = await fill();
    for (const recruiterId of [5, 6]) await join(recruiterId);
    await release(first);
    const { offer } = (await placeOf(5)).entry;
    expect((await release(offer.claimId)).status).toBe(200);
    expect(await state()).toEqual({ holders: [2, 3, 4, 'offer to 6'], line: [] });
  });

  test('when an offer lapses', async () => {
    const [first = 0] = await fill();
    for (const recruiterId of [5, 6]) await join(recruiterId);
    await release(first);
    await letLeaseEnd(5);
    await clearAll(made.db);
    expect(await state()).toEqual({ holders: [2, 3, 4, 'offer to 6'], line: [] });
    expect((await placeOf(5)).code).toBe('not-in-line');
  });

  test('without being asked, if the company wants this', async () => {
    const [first = 0] = await fill();
    await join(5);
    expect((await change({ auto: true })).body).toMatchObject({ auto: true, offerMinutes: 15 });
    const before = await newest();
    await release(first);
    expect(await state()).toEqual({ holders: [2, 3, 4, 5], line: [] });
    expect(await eventsSince(before)).toEqual([
      'released by 1, 3 of 4, 1 wait',
      'claimed by 5, 4 of 4, 0 wait',
    ]);
  });
});

describe('nobody is overtaken', () => {
  test('by a newcomer whose claim finds an expired claim', async () => {
    await fill({ leaseSeconds: 60 });
    await join(5);
    await letLeaseEnd(2);
    expect(await claim(9)).toMatchObject({ code: 'job-full', claimed: 4, remaining: 0 });
    expect(await state()).toEqual({ holders: [1, 3, 4, 'offer to 5'], line: [] });
  });

  test('by a newcomer with an idempotency key, or by a crowd in one batch', async () => {
    await fill({ leaseSeconds: 60 });
    await join(5);
    await letLeaseEnd(1);
    await letLeaseEnd(2);
    const answers = await Promise.all([
      made.call('GET', `/claim-job?jobId=${JOB}&recruiterId=9`, undefined, {
        'Idempotency-Key': 'a',
      }),
      ...[10, 11, 12].map((id) => made.claim(JOB, id)),
    ]);
    // Two slots were free. One went to the line, and one newcomer got the other.
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403]);
    expect((await state()).holders).toContain('offer to 5');
    expect((await state()).holders).toHaveLength(4);
  });

  test('by a recruiter further back, who claims instead of waiting', async () => {
    await fill({ leaseSeconds: 60 });
    for (const recruiterId of [5, 6]) await join(recruiterId);
    await letLeaseEnd(2);
    expect((await claim(6)).code).toBe('job-full');
    expect(await state()).toEqual({ holders: [1, 3, 4, 'offer to 5'], line: [6] });
  });

  test('by a server of the version before, which knows nothing of lines', async () => {
    await fill({ leaseSeconds: 60 });
    await join(5);
    await letLeaseEnd(2);
    // These are the statements of that version. The second one appends its event itself.
    const claiming = made.db.transaction(async (tx) => {
      await tx.execute(sql`SELECT id FROM jobs WHERE id = ${JOB} FOR UPDATE`);
      await tx.execute(sql`DELETE FROM job_claims WHERE job_id = ${JOB} AND recruiter_id = 2`);
      await tx.execute(sql`
        WITH claim AS (INSERT INTO job_claims (job_id, recruiter_id) VALUES (${JOB}, 9) RETURNING *)
        INSERT INTO events (job_id, company_id, number, kind, claim_id, recruiter_id, role, capacity, claimed)
        SELECT job_id, 1, (SELECT max(number) FROM events WHERE job_id = ${JOB}) + 1, 'claimed', id,
          recruiter_id, 'Role', 4, 4 FROM claim`);
    });
    await expect(claiming).rejects.toMatchObject({ cause: { code: '55P03' } });
    expect((await state()).line).toEqual([5]);
    await clearAll(made.db);
    expect(await state()).toEqual({ holders: [1, 3, 4, 'offer to 5'], line: [] });
  });

  test('by plain SQL', async () => {
    await fill();
    await join(5);
    await run(sql`DELETE FROM job_claims WHERE recruiter_id = 3`);
    const inserting = run(sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${JOB}, 9)`);
    await expect(inserting).rejects.toMatchObject({ cause: { code: '55P03' } });
  });

  test('by plain SQL that deletes a claim and inserts it again', async () => {
    const [id] = await fill();
    await join(5);
    const moving = made.db.transaction(async (tx) => {
      await tx.execute(sql`DELETE FROM job_claims WHERE id = ${id}`);
      await tx.execute(
        sql`INSERT INTO job_claims (id, job_id, recruiter_id) VALUES (${id}, ${JOB}, 9)`,
      );
    });
    await expect(moving).rejects.toMatchObject({ cause: { code: '55P03' } });
  });
});

describe('a recruiter who joins', () => {
  test('gets the place after all who wait, and keeps it', async () => {
    await fill();
    expect((await join(5)).body).toMatchObject({ entry: { place: 1, offer: null }, waiting: 1 });
    expect((await join(6)).body).toMatchObject({ entry: { place: 2, offer: null }, waiting: 2 });
    const again = await join(5);
    expect(again).toMatchObject({ status: 200, body: { entry: { place: 1 }, waiting: 2 } });
    expect((await leave(5)).status).toBe(200);
    expect(await placeOf(6)).toMatchObject({ entry: { place: 1 }, waiting: 1 });
  });

  test('has the same place in the list of the places', async () => {
    await fill();
    for (const recruiterId of [7, 5, 6]) await join(recruiterId);
    const ids = [5n, 6n, 7n];
    const places = await readPlaces(made.db, ids, [BigInt(JOB)]);
    for (const { recruiterId, place } of places)
      expect((await placeOf(Number(recruiterId))).entry.place).toBe(place);
    expect(places).toHaveLength(3);
    expect(await readPlaces(made.db, ids)).toHaveLength(3);
    expect(await readPlaces(made.db, ids, [2n])).toEqual([]);
  });

  test('with an idempotency key gets the same answer again, although the place has changed', async () => {
    await fill();
    await join(5);
    const again = () =>
      made.call(
        'POST',
        `/jobs/${JOB}/waitlist`,
        { recruiterId: 6 },
        { 'Idempotency-Key': 'a-key' },
      );
    const first = await again();
    expect(first.body.entry.place).toBe(2);
    await leave(5);
    expect((await again()).body).toEqual(first.body);
    expect((await placeOf(6)).entry.place).toBe(1);
  });

  test('for a job or as a recruiter that does not exist gets 404', async () => {
    expect((await join(5, 999)).body.code).toBe('job-not-found');
    expect((await join(9_999)).body.code).toBe('recruiter-not-found');
  });

  test('reads the address of the waitlist in the answer about a full job', async () => {
    await fill();
    expect(await claim(5)).toMatchObject({ code: 'job-full', waitlist: '/jobs/1/waitlist' });
    const byGet = await made.call('GET', '/claim-job?jobId=1&recruiterId=5');
    expect(byGet.body).not.toHaveProperty('waitlist');
  });

  test('gets an offer at once if a slot is free', async () => {
    const { body } = await join(5);
    expect(body).toMatchObject({ message: 'A slot is offered to you', waiting: 0 });
    expect(body.entry).toMatchObject({ place: null, offer: { claimId: expect.any(Number) } });
    expect(await state()).toEqual({ holders: ['offer to 5'], line: [] });
  });

  // Without the lock in `joinLine`, the recruiter waits although a slot is free: the lost wakeup.
  test('while the last claim is being released gets the slot', async () => {
    await fill();
    const { joining } = await whileHeld(made.databaseUrl, JOB, async ({ tx, untilWaitedFor }) => {
      await tx`DELETE FROM job_claims WHERE recruiter_id = 4`;
      const joining = join(5);
      await untilWaitedFor();
      return { joining };
    });
    expect((await joining).body.entry.offer).not.toBeNull();
    expect(await state()).toEqual({ holders: [1, 2, 3, 'offer to 5'], line: [] });
  });

  test('is refused if the recruiter holds a slot, also by plain SQL', async () => {
    await fill();
    expect((await join(1)).body.code).toBe('already-claimed');
    const joining = run(sql`INSERT INTO waitlist (job_id, recruiter_id) VALUES (${JOB}, 1)`);
    await expect(joining).rejects.toMatchObject({ cause: { code: '23000' } });
  });

  test('is refused if the line is full or closed, and those who wait stay', async () => {
    await fill();
    await change({ longest: 1 });
    await join(5);
    expect((await join(6)).body.code).toBe('waitlist-full');
    await change({ longest: 0 });
    expect((await join(6)).body.code).toBe('waitlist-closed');
    expect((await state()).line).toEqual([5]);
  });

  test('is refused if the recruiter waits for a hundred jobs', async () => {
    await fill();
    await run(sql`
      WITH job AS (INSERT INTO jobs (company_id, role) SELECT 1, 'Role' FROM generate_series(1, 100) RETURNING id)
      INSERT INTO waitlist (job_id, recruiter_id) SELECT id, 5 FROM job`);
    expect((await join(5)).body.code).toBe('too-many-lines');
  });

  test('may join again after an own offer has lapsed, before the cleanup', async () => {
    const [first = 0] = await fill();
    for (const recruiterId of [5, 6]) await join(recruiterId);
    await release(first);
    await letLeaseEnd(5);
    expect((await join(5)).body).toMatchObject({ entry: { place: 1 }, waiting: 1 });
    expect(await state()).toEqual({ holders: [2, 3, 4, 'offer to 6'], line: [5] });
  });
});

describe('an offer', () => {
  const offered = async () => {
    const [first = 0] = await fill();
    await join(5);
    await release(first);
    return (await placeOf(5)).entry.offer.claimId as number;
  };

  test('is a claim with a lease of fifteen minutes', async () => {
    const id = await offered();
    const { claim: body } = (await made.call('GET', `/claims/${id}`)).body;
    expect(body).toMatchObject({ id, recruiterId: 5, offer: true });
    const minutes = (Date.parse(body.expiresAt) - Date.parse(body.claimedAt)) / 60_000;
    expect(minutes).toBeCloseTo(15);
  });

  test('lasts as long as the company says', async () => {
    const [first = 0] = await fill();
    await join(5);
    await change({ offerMinutes: 60 });
    await release(first);
    const { expiresAt } = (await placeOf(5)).entry.offer;
    expect((Date.parse(expiresAt) - Date.now()) / 60_000).toBeGreaterThan(58);
  });

  test('that is accepted is a claim without a lease, and its recruiter is in line no more', async () => {
    const id = await offered();
    const before = await newest();
    const { status, body } = await accept(id);
    expect(status).toBe(200);
    expect(body.claim).toEqual({
      id,
      jobId: JOB,
      recruiterId: 5,
      claimedAt: expect.any(String),
      expiresAt: null,
    });
    expect(await state()).toEqual({ holders: [2, 3, 4, 5], line: [] });
    expect(await eventsSince(before)).toEqual(['accepted by 5, 4 of 4, 0 wait']);
    expect((await placeOf(5)).code).toBe('not-in-line');
  });

  test('may be accepted twice, and with a lease', async () => {
    const id = await offered();
    const first = (await accept(id, { leaseSeconds: 3_600 })).body.claim;
    expect(first.expiresAt).not.toBeNull();
    expect((await accept(id)).body.claim).toEqual(first);
  });

  test('is accepted by a renewal', async () => {
    const id = await offered();
    const before = await newest();
    await made.call('POST', `/claims/${id}/renew`, { leaseSeconds: 60 });
    expect(await eventsSince(before)).toEqual(['accepted by 5, 4 of 4, 0 wait']);
  });

  // Without the condition in the UPDATE, a renewal puts a lease on the accepted claim.
  test('that is accepted without a lease while a renewal waits for the lock gets no lease', async () => {
    const id = await offered();
    const { renewing } = await whileHeld(made.databaseUrl, JOB, async ({ tx, untilWaitedFor }) => {
      const renewing = made.call('POST', `/claims/${id}/renew`, { leaseSeconds: 60 });
      await untilWaitedFor();
      await tx`UPDATE job_claims SET expires_at = NULL WHERE id = ${id}`;
      return { renewing };
    });
    expect((await renewing).body.code).toBe('no-lease');
  });

  test('that is released while its recruiter accepts is gone', async () => {
    const id = await offered();
    await accept(id);
    const { accepting } = await whileHeld(made.databaseUrl, JOB, async ({ tx, untilWaitedFor }) => {
      const accepting = accept(id);
      await untilWaitedFor();
      await tx`DELETE FROM job_claims WHERE id = ${id}`;
      return { accepting };
    });
    expect((await accepting).body.code).toBe('claim-not-found');
  });

  test('lapses if plain SQL ends its lease', async () => {
    await offered();
    await run(sql`UPDATE job_claims SET expires_at = statement_timestamp() WHERE recruiter_id = 5`);
    const before = await newest();
    await clearAll(made.db);
    expect(await eventsSince(before)).toEqual(['lapsed by 5, 3 of 4, 0 wait']);
  });

  test('that has lapsed cannot be accepted', async () => {
    const id = await offered();
    await letLeaseEnd(5);
    expect((await accept(id)).body.code).toBe('claim-not-found');
    await clearAll(made.db);
    expect(await state()).toEqual({ holders: [2, 3, 4], line: [] });
  });

  test('is declined by leaving the line', async () => {
    await offered();
    const before = await newest();
    expect((await leave(5)).status).toBe(200);
    expect(await eventsSince(before)).toEqual(['declined by 5, 3 of 4, 0 wait']);
  });
});

test('a company reads the line of its job page by page, with the places and the settings', async () => {
  const [first = 0] = await fill();
  for (const recruiterId of [5, 6, 7]) await join(recruiterId);
  await release(first);
  const page = async (query: string) =>
    (await made.call('GET', `/jobs/${JOB}/waitlist?limit=2${query}`)).body;
  const { entries, nextCursor, waiting, settings } = await page('');
  expect(entries).toMatchObject([
    { recruiterId: 5, place: null, offer: { claimId: expect.any(Number) } },
    { recruiterId: 6, place: 1, offer: null },
  ]);
  expect({ waiting, settings }).toEqual({
    waiting: 2,
    settings: { longest: 100, offerMinutes: 15, auto: false },
  });
  const rest = await page(`&cursor=${nextCursor}`);
  expect(rest).toMatchObject({ entries: [{ recruiterId: 7, place: 2 }], nextCursor: null });
  const lines = (await made.call('GET', '/recruiters/7/waitlist?jobId=1&jobId=2')).body;
  expect(lines).toMatchObject({ entries: [{ jobId: 1, place: 2 }], nextCursor: null });
});

test.each([
  [{}, 'changes nothing'],
  [{ longest: -1 }, 'must be a whole number from 0 to 1000'],
  [{ offerMinutes: 0 }, 'must be a whole number from 1 to 8640'],
  [{ offerMinutes: 1.5 }, 'must be a whole number from 1 to 8640'],
  [{ auto: 'yes' }, 'must be true or false'],
  [{ open: true }, 'has unknown fields: open'],
])('the settings %j are refused', async (settings, detail) => {
  const { status, body } = await change(settings);
  expect([status, body.errors[0].detail]).toEqual([400, detail]);
});

test('the history of a job tells everything about its line', async () => {
  const [first = 0] = await fill();
  const before = await newest();
  for (const recruiterId of [5, 6, 7]) await join(recruiterId);
  await leave(6);
  await release(first);
  await letLeaseEnd(5);
  await clearAll(made.db);
  expect(await eventsSince(before)).toEqual([
    'joined by 5, 4 of 4, 1 wait',
    'joined by 6, 4 of 4, 2 wait',
    'joined by 7, 4 of 4, 3 wait',
    'left by 6, 4 of 4, 2 wait',
    'released by 1, 3 of 4, 2 wait',
    'offered by 5, 4 of 4, 1 wait',
    'lapsed by 5, 3 of 4, 1 wait',
    'offered by 7, 4 of 4, 0 wait',
  ]);
});

test('a removed recruiter leaves the line, and a removed job ends its line', async () => {
  await fill();
  for (const recruiterId of [5, 6]) await join(recruiterId);
  const before = await newest();
  await run(sql`DELETE FROM recruiters WHERE id = 5`);
  expect(await eventsSince(before)).toEqual(['left by 5, 4 of 4, 1 wait']);
  await run(sql`DELETE FROM job_claims WHERE job_id = ${JOB}`);
  await run(sql`DELETE FROM jobs WHERE id = ${JOB}`);
  expect(await run(sql`SELECT FROM waitlist`)).toEqual([]);
  const [last] = await run(
    sql`SELECT kind FROM events WHERE job_id = ${JOB} ORDER BY number DESC LIMIT 1`,
  );
  expect(last).toEqual({ kind: 'removed' });
});

test('a smaller capacity is refused while claims and offers need the slots, and the line stays', async () => {
  const [first = 0] = await fill();
  for (const recruiterId of [5, 6]) await join(recruiterId);
  await release(first);
  const { body } = await made.call('PATCH', `/jobs/${JOB}`, { capacity: 3 });
  expect(body).toMatchObject({ code: 'capacity-too-low', claimed: 4 });
  expect((await state()).line).toEqual([6]);
});

test('the metrics have the length of the lines, the offers, and the offers that have lapsed', async () => {
  const figures = async () => {
    const text = await (await made.app.request('/metrics')).text();
    return Object.fromEntries(
      ['waitlist_waiting', 'waitlist_offers', 'offers_lapsed_total'].map((name) => [
        name,
        Number(new RegExp(`^rowlock_${name} (\\S+)$`, 'm').exec(text)?.[1]),
      ]),
    );
  };
  const [first = 0] = await fill();
  await join(5);
  await join(6);
  await release(first);
  const before = await figures();
  expect(before).toMatchObject({ waitlist_waiting: 1, waitlist_offers: 1 });
  await letLeaseEnd(5);
  await clearAll(made.db);
  // Earlier tests of this process have lapsed offers too.
  const { offers_lapsed_total: lapsed = 0 } = before;
  expect(await figures()).toEqual({
    waitlist_waiting: 0,
    waitlist_offers: 1,
    offers_lapsed_total: lapsed + 1,
  });
});
