import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  Claiming,
  type ClientOptions,
  createClient,
  type HeldClaim,
  type Id,
  type Job,
} from '../../src/client/index.ts';
import { connect } from '../../src/platform/db/client.ts';
import { jobs } from '../../src/service/database/schema.ts';
import { makeService } from '../support/app.ts';
import { atEnd } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { as, inSeconds, WITH_SECRET } from '../support/tokens.ts';

const databaseUrl = await makeDatabase();
const { url } = await makeService(databaseUrl, { auth: WITH_SECRET });
const { db, close } = connect(databaseUrl, {});
atEnd(close);

const tokenOf = async (role: string, sub: string, seconds = 600) =>
  (await as(role, sub, { exp: inSeconds(seconds) })).Authorization.replace('Bearer ', '');
const clientOf = async (role: string, sub: string, options: ClientOptions = {}) =>
  createClient(url, { token: await tokenOf(role, sub), ...options });
const admin = await clientOf('admin', 'ada');

async function newJob(): Promise<number> {
  const [job] = await db.insert(jobs).values({ companyId: 1n, role: 'Tester' }).returning();
  return Number(job?.id);
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Follows jobs until the test ends. */
function follow(rowlock: typeof admin, followed: { jobs?: Id[]; company?: Id }) {
  const told: Id[][] = [];
  const statuses: string[] = [];
  let latest: ReadonlyMap<Id, Job> = new Map();
  stops.push(
    rowlock.followJobs(followed, {
      onJobs(all, changed) {
        latest = all;
        told.push([...changed]);
      },
      onStatus: (status, problem) => statuses.push(problem?.code ?? status),
    }),
  );
  return { told, statuses, claimed: (id: Id) => latest.get(id)?.claimed, all: () => latest };
}

describe('followJobs', () => {
  test('reports the full state, and then each change', async () => {
    const [one, other] = [await newJob(), await newJob()];
    const { told, statuses, claimed } = follow(admin, { jobs: [one, `${other}`] });
    await vi.waitFor(() => expect(statuses).toEqual(['connecting', 'live']));
    expect(told).toEqual([[one, other]]);
    await admin.claimJob({ jobId: other, recruiterId: 1 });
    await vi.waitFor(() => expect(claimed(other)).toBe(1));
    expect(told).toEqual([[one, other], [other]]);
  });

  test('reports a job that is gone, and a job that never existed', async () => {
    const one = await newJob();
    const { told, all } = follow(admin, { jobs: [one, 999_999_999] });
    // The insert of the job may be reported as news after the first report.
    await vi.waitFor(() => expect(told[0]).toEqual([one, 999_999_999]));
    expect([...all().keys()]).toEqual([one]);
    await db.execute(`delete from jobs where id = ${one}`);
    await vi.waitFor(() => expect(all().size).toBe(0));
    expect(told.at(-1)).toEqual([one]);
  });

  test('goes on with a new token when the token expires', async () => {
    const one = await newJob();
    const tokens = [await tokenOf('recruiter', '1', 2), await tokenOf('recruiter', '1')];
    const asked: (string | undefined)[] = [];
    const rowlock = createClient(url, {
      token(refused) {
        asked.push(refused);
        return tokens[asked.length - 1];
      },
    });
    const { statuses, claimed } = follow(rowlock, { jobs: [one] });
    await vi.waitFor(
      () => expect(statuses).toEqual(['connecting', 'live', 'reconnecting', 'live']),
      { timeout: 10_000 },
    );
    expect(asked).toEqual([undefined, tokens[0]]);
    await admin.claimJob({ jobId: one, recruiterId: 1 });
    await vi.waitFor(() => expect(claimed(one)).toBe(1));
  });

  test('ends with the problem if the service refuses for good', async () => {
    const wrong = follow(await clientOf('recruiter', '1', { token: 'none' }), {});
    await vi.waitFor(() => expect(wrong.statuses).toEqual(['connecting', 'unauthorized']));
    const many = follow(admin, { jobs: Array.from({ length: 101 }, (_, at) => at + 1) });
    await vi.waitFor(() => expect(many.statuses).toEqual(['connecting', 'invalid-request']));
  });

  test('opens a new stream when the network breaks', async () => {
    const one = await newJob();
    let isBroken = false;
    const broken: AbortController[] = [];
    const rowlock = await clientOf('recruiter', '1', {
      fetch: (input, init) => {
        if (isBroken) return Promise.reject(new TypeError('no network'));
        const breaking = new AbortController();
        broken.push(breaking);
        const signals = [breaking.signal, ...(init?.signal ? [init.signal] : [])];
        return fetch(input, { ...init, signal: AbortSignal.any(signals) });
      },
    });
    const { statuses, claimed } = follow(rowlock, { jobs: [one] });
    await vi.waitFor(() => expect(statuses).toEqual(['connecting', 'live']));
    isBroken = true;
    for (const each of broken) each.abort();
    await vi.waitFor(() => expect(statuses.at(-1)).toBe('reconnecting'));
    await admin.claimJob({ jobId: one, recruiterId: 1 });
    isBroken = false;
    await vi.waitFor(() => expect(statuses.at(-1)).toBe('live'), { timeout: 10_000 });
    expect(claimed(one)).toBe(1);
  });

  test('reports to a recruiter the changes of its claims', async () => {
    const one = await newJob();
    const rowlock = await clientOf('recruiter', '41');
    const news: string[] = [];
    let held: Id[] = [];
    const statuses: string[] = [];
    stops.push(
      rowlock.followJobs(
        { mine: true },
        {
          onClaims: (claims) => {
            held = [...claims.values()].map(({ jobId }) => jobId);
          },
          onNews: ({ kind }) => news.push(kind),
          onStatus: (status) => statuses.push(status),
        },
      ),
    );
    await vi.waitFor(() => expect(statuses.at(-1)).toBe('live'));
    const claimed = await rowlock.claimJob({ jobId: one, recruiterId: 41 });
    await vi.waitFor(() => expect([news, held]).toEqual([['claimed'], [one]]));
    if (claimed.ok) await admin.releaseClaim({ id: claimed.data.claim.id });
    await vi.waitFor(() => expect([news, held]).toEqual([['claimed', 'released'], []]));
  });
});

describe('followJobs, for a recruiter in line', () => {
  test('reports the places, and then the offer', async () => {
    const [job] = await db
      .insert(jobs)
      .values({ companyId: 1n, role: 'Tester', capacity: 1 })
      .returning();
    const jobId = Number(job?.id);
    const holder = await admin.claimJob({ jobId, recruiterId: 61 });
    for (const recruiterId of [62, 63]) await admin.joinWaitlist({ jobId, recruiterId });
    const rowlock = await clientOf('recruiter', '63');
    let places: [Id, number][] = [];
    let held: HeldClaim[] = [];
    const changes: Id[][] = [];
    const news: string[] = [];
    stops.push(
      rowlock.followJobs(
        { mine: true },
        {
          onClaims(claims, changed) {
            held = [...claims.values()];
            changes.push([...changed]);
          },
          onPlaces: (all) => {
            places = [...all];
          },
          onNews: ({ kind }) => news.push(kind),
        },
      ),
    );
    await vi.waitFor(() => expect(places).toEqual([[jobId, 2]]));
    await admin.leaveWaitlist({ jobId, recruiterId: 62 });
    await vi.waitFor(() => expect(places).toEqual([[jobId, 1]]));
    if (holder.ok) await admin.releaseClaim({ id: holder.data.claim.id });
    await vi.waitFor(() => expect([places, news]).toEqual([[], ['offered']]));
    expect(held).toMatchObject([{ jobId, offer: true, expiresAt: expect.any(String) }]);
    // A place is no claim.
    expect(changes.flat()).toEqual(held.map(({ id }) => id));
  });
});

/**
 * Returns the lease in seconds, rounded down to whole minutes. A renewed lease counts from the
 * renewal, which comes a little later than the claim. So the exact seconds vary.
 */
const leaseOf = ({ claimedAt, expiresAt }: { claimedAt: string; expiresAt: string | null }) =>
  expiresAt === null
    ? 'no lease'
    : Math.floor((Date.parse(expiresAt) - Date.parse(claimedAt)) / 60_000) * 60;

describe('a claim on a page', () => {
  async function board(recruiter: string, job: number, options: ClientOptions = {}) {
    const claiming = new Claiming(
      await clientOf('recruiter', recruiter, options),
      { jobs: [job] },
      recruiter,
    );
    stops.push(() => claiming.stop());
    const shown = () => claiming.get().jobs[0];
    await vi.waitFor(() => expect(shown()).toBeDefined());
    return { claiming, shown };
  }

  test('is shown before the service answers, and stays when the service grants it', async () => {
    const job = await newJob();
    const { claiming, shown } = await board('42', job);
    const seen: unknown[] = [];
    claiming.subscribe(() => seen.push([shown()?.claimed, shown()?.claim !== undefined]));
    const asked = claiming.claim(job, 60);
    expect(shown()).toMatchObject({ claimed: 1, remaining: 3, isPending: true });
    await asked;
    expect(shown()).toMatchObject({ claimed: 1, isPending: false, problem: undefined });
    expect(Date.parse(shown()?.claim?.expiresAt ?? '')).toBeGreaterThan(Date.now());
    await claiming.release(job);
    await vi.waitFor(() => expect(shown()).toMatchObject({ claimed: 0, claim: undefined }));
    expect(seen).toContainEqual([1, true]);
  });

  test('is taken back, with the reason, when the service refuses it', async () => {
    const job = await newJob();
    const { claiming, shown } = await board('43', job);
    const held: Id[] = [];
    for (const recruiterId of [51, 52, 53, 54]) {
      const answer = await admin.claimJob({ jobId: job, recruiterId });
      if (answer.ok) held.push(answer.data.claim.id);
    }
    const asked = claiming.claim(job);
    expect(shown()?.claim).toBeDefined();
    await asked;
    expect(shown()).toMatchObject({ claim: undefined, problem: { code: 'job-full' } });
    await vi.waitFor(() => expect(shown()).toMatchObject({ claimed: 4, remaining: 0 }));
    expect(shown()?.problem?.code).toBe('job-full');
    await admin.releaseClaim({ id: held.at(-1) ?? 0 });
    await vi.waitFor(() => expect(shown()).toMatchObject({ claimed: 3, problem: undefined }));
  });

  test('keeps the reason of its refusal when an older event comes late', async () => {
    const job = await newJob();
    const held: (() => void)[] = [];
    let isHolding = true;
    const { claiming, shown } = await board('46', job, {
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (!response.body || !`${input}`.includes('/jobs/events')) return response;
        const holding = new TransformStream({
          transform: async (chunk, out) => {
            const tellsClaim = /"claimed":[1-4]/.test(Buffer.from(chunk).toString());
            if (isHolding && tellsClaim) await new Promise<void>((pass) => held.push(pass));
            out.enqueue(chunk);
          },
        });
        return new Response(response.body.pipeThrough(holding), response);
      },
    });
    await admin.claimJob({ jobId: job, recruiterId: 51 });
    await vi.waitFor(() => expect(held).toHaveLength(1));
    for (const recruiterId of [52, 53, 54]) await admin.claimJob({ jobId: job, recruiterId });
    await claiming.claim(job);
    expect(shown()).toMatchObject({ claimed: 0, problem: { code: 'job-full' } });
    held.shift()?.();
    await vi.waitFor(() => expect(shown()?.claimed).toBe(1));
    expect(shown()?.problem?.code).toBe('job-full');
    isHolding = false;
    held.shift()?.();
    await vi.waitFor(() => expect(shown()?.claimed).toBe(4));
    expect(shown()?.problem?.code).toBe('job-full');
  });

  test('does not have the status `live` while the claims of the recruiter are unknown', async () => {
    const job = await newJob();
    // The token is of another recruiter. So the service sends the jobs, and refuses to send the
    // claims.
    const claiming = new Claiming(await clientOf('recruiter', '44'), { jobs: [job] }, 45);
    stops.push(() => claiming.stop());
    const seen: unknown[] = [];
    claiming.subscribe(() => seen.push(claiming.get().status));
    await vi.waitFor(() => expect(claiming.get()).toMatchObject({ jobs: [{ id: job }] }));
    await vi.waitFor(() =>
      expect(claiming.get()).toMatchObject({ status: 'refused', problem: { code: 'forbidden' } }),
    );
    await admin.claimJob({ jobId: job, recruiterId: 46 });
    await vi.waitFor(() => expect(claiming.get()).toMatchObject({ jobs: [{ claimed: 1 }] }));
    expect(seen).not.toContain('live');
  });

  const PRESSES: { presses: (number | 'no lease' | 'release')[]; lease: number | 'no lease' }[] = [
    { presses: [60, 'release', 900], lease: 900 },
    { presses: [900, 60], lease: 60 },
    { presses: ['no lease', 'release', 900], lease: 900 },
    { presses: [60, 'no lease'], lease: 'no lease' },
    { presses: [-1, 900], lease: 900 },
    { presses: [60, 900, 'release', 60], lease: 60 },
  ];
  test.for(PRESSES)('has the last lease of the presses $presses', async ({ presses, lease }) => {
    const job = await newJob();
    const { claiming, shown } = await board('48', job);
    await Promise.all(
      presses.map((press) => {
        if (press === 'release') return claiming.release(job);
        return claiming.claim(job, press === 'no lease' ? undefined : press);
      }),
    );
    expect(shown()).toMatchObject({ claimed: 1, isPending: false, problem: undefined });
    const { data } = await admin.listClaimsOfJob({ jobId: job });
    expect(data?.claims).toHaveLength(1);
    const [claim] = data?.claims ?? [];
    expect(claim && leaseOf(claim)).toBe(lease);
    await vi.waitFor(() => expect(shown()?.claim?.expiresAt).toBe(claim?.expiresAt));
  });

  test('is not refused if a person presses Claim twice', async () => {
    const job = await newJob();
    const { claiming, shown } = await board('44', job);
    await Promise.all([claiming.claim(job), claiming.claim(job)]);
    expect(shown()?.problem).toBeUndefined();
  });
});
