import { expect, test, vi } from 'vitest';
import { jobs } from '../../../src/service/database/schema.ts';
import { makeApp } from '../../support/app.ts';
import { follow } from '../../support/events.ts';
import { as, WITH_SECRET } from '../../support/tokens.ts';

const made = await makeApp({ auth: WITH_SECRET });
const { app, db, call } = made;
const COMPANY = 1n;

async function newJob(capacity = 4): Promise<number> {
  const values = { companyId: COMPANY, role: 'Tester', capacity };
  const [job] = await db.insert(jobs).values(values).returning();
  return Number(job?.id);
}
const claim = async (jobId: number, recruiter: number, leaseSeconds?: number) =>
  (
    await call(
      'POST',
      `/jobs/${jobId}/claims`,
      { recruiterId: recruiter, leaseSeconds },
      await as('recruiter', `${recruiter}`),
    )
  ).body.claim.id as number;
const followMine = async (recruiter: number) => {
  const headers = await as('recruiter', `${recruiter}`);
  const following = await follow((init) => app.request('/me/events', { ...init, headers }));
  await following.isComplete();
  const kinds = (claimId: number) =>
    following.events.filter(({ data }) => data.claim?.id === claimId).map(({ data }) => data.kind);
  return { ...following, kinds };
};

test('a recruiter who follows first gets the current claims, and then an event for each change', async () => {
  const [job, other] = [await newJob(), await newJob()];
  const first = await claim(job, 11);
  const { events, kinds } = await followMine(11);
  expect(events.map(({ name }) => name)).toEqual(['begin', 'claim', 'end']);
  expect(events[1]?.data).toMatchObject({
    kind: 'held',
    claim: { id: first, jobId: job, recruiterId: 11, expiresAt: null },
    job: { id: job, role: 'Tester', capacity: 4, claimed: 1, remaining: 3 },
  });
  const second = await claim(other, 11, 3_600);
  await vi.waitFor(() => expect(kinds(second)).toEqual(['claimed']));
  const headers = await as('recruiter', '11');
  await call('POST', `/claims/${second}/renew`, { leaseSeconds: 7_200 }, headers);
  await vi.waitFor(() => expect(kinds(second)).toEqual(['claimed', 'renewed']));
  await call('DELETE', `/claims/${first}`, undefined, headers);
  await vi.waitFor(() => expect(kinds(first)).toEqual(['held', 'released']));
  expect(events.at(-1)?.data.job).toMatchObject({ claimed: 0, remaining: 4 });
});

test('a recruiter gets an event before a lease ends, and an event when the expired claim is removed', async () => {
  const job = await newJob(1);
  const { kinds } = await followMine(12);
  const id = await claim(job, 12, 1);
  await vi.waitFor(() => expect(kinds(id)).toContain('ending'));
  // The next claim needs the slot, so it removes the expired claim.
  await vi.waitFor(
    async () => {
      await call('POST', `/jobs/${job}/claims`, { recruiterId: 13 }, await as('recruiter', '13'));
      expect(kinds(id).at(-1)).toBe('expired');
    },
    { timeout: 10_000, interval: 300 },
  );
});

test('a recruiter gets no events about the claims of other recruiters', async () => {
  const job = await newJob();
  const { events } = await followMine(14);
  const told = await followMine(15);
  const theirs = await claim(job, 15);
  await vi.waitFor(() => expect(told.kinds(theirs)).toEqual(['claimed']));
  const mine = await claim(job, 14);
  await vi.waitFor(() => expect(events.at(-1)?.data.claim?.id).toBe(mine));
  const about = events.flatMap(({ data }) => data.claim?.id ?? []);
  expect(about).not.toContain(theirs);
});

test('a recruiter gets the places in line, and each change of a place', async () => {
  const job = await newJob(1);
  const held = await claim(job, 21);
  const join = async (recruiter: number) =>
    call(
      'POST',
      `/jobs/${job}/waitlist`,
      { recruiterId: recruiter },
      await as('recruiter', `${recruiter}`),
    );
  await join(22);
  await join(23);
  const { events } = await followMine(23);
  expect(events.slice(0, 3)).toEqual([
    { name: 'begin', data: {} },
    { name: 'place', data: { jobId: job, recruiterId: 23, place: 2 } },
    { name: 'end', data: {} },
  ]);
  const places = () => events.flatMap(({ name, data }) => (name === 'place' ? [data.place] : []));
  // A recruiter who joins behind changes no place.
  await join(24);
  await call('DELETE', `/jobs/${job}/waitlist/22`, undefined, await as('recruiter', '22'));
  await vi.waitFor(() => expect(places()).toEqual([2, 1]));
  await call('DELETE', `/claims/${held}`, undefined, await as('recruiter', '21'));
  await vi.waitFor(() => expect(places()).toEqual([2, 1, null]));
  const [offer] = events.filter(({ name }) => name === 'claim');
  expect(offer?.data).toMatchObject({ kind: 'offered', claim: { jobId: job, offer: true } });
});

test('a recruiter with more claims than fit into one page gets all claims, and the places', async () => {
  const values = Array.from({ length: 230 }, () => ({ companyId: COMPANY, role: 'Tester' }));
  const made = await db.insert(jobs).values(values).returning();
  const ids = await Promise.all(made.map(({ id }) => claim(Number(id), 16)));
  const full = await newJob(1);
  await claim(full, 17);
  await call('POST', `/jobs/${full}/waitlist`, { recruiterId: 16 }, await as('recruiter', '16'));
  const { events } = await followMine(16);
  const places = events.filter(({ name }) => name === 'place').map(({ data }) => data);
  expect(places).toEqual([{ jobId: full, recruiterId: 16, place: 1 }]);
  const held = events.flatMap(({ data }) => data.claim?.id ?? []);
  expect(held.toSorted()).toEqual(ids.toSorted());
});

test.each<[string, string, string, number]>([
  ['a company', 'company', '/me/events', 403],
  ['another recruiter', 'recruiter', '/me/events?recruiterId=8', 403],
  ['an admin who names no recruiter', 'admin', '/me/events', 400],
  ['a wrong id', 'recruiter', '/me/events?recruiterId=x', 400],
  ['an unknown recruiter', 'admin', '/me/events?recruiterId=987654321', 404],
])('a stream of claims is refused for %s', async (_, role, path, status) => {
  expect((await app.request(path, { headers: await as(role, '7') })).status).toBe(status);
});
