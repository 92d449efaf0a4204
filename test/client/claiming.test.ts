import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type ClaimHandlers,
  Claiming,
  type FollowStatus,
  type HeldClaim,
  type Id,
  type Job,
  type JobHandlers,
  type Rowlock,
} from '../../src/client/index.ts';

const JOB = 5;
const claimOf = (id: Id): HeldClaim => ({ id, jobId: JOB, recruiterId: 7, expiresAt: null });

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** A board whose service answers a request, and tells a change, when the test says so. */
function makeBoard() {
  const requests: string[] = [];
  const waiting: Waiting[] = [];
  const ask = (request: string) => {
    requests.push(request);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  let jobs: JobHandlers | undefined;
  let claims: ClaimHandlers | undefined;
  const rowlock = {
    followJobs(what: object, handlers: JobHandlers | ClaimHandlers) {
      if ('mine' in what) claims = handlers as ClaimHandlers;
      else jobs = handlers as JobHandlers;
      return () => undefined;
    },
    claimJob: () => ask('claim'),
    releaseClaim: ({ id }: HeldClaim) => ask(`release ${id}`),
  } as unknown as Rowlock;
  const board = new Claiming(rowlock, {}, 7);
  const shown = () => {
    const job = board.get().jobs[0];
    return { claimed: job?.claimed, isMine: job?.claim !== undefined };
  };
  const seen: unknown[] = [];
  const tell = {
    job(claimed: number) {
      const job = { id: JOB, capacity: 4, claimed, remaining: 4 - claimed } as Job;
      jobs?.onJobs(new Map([[JOB, job]]), [JOB]);
    },
    /** All claims as they are now, and the changed claims. */
    claims: (held: Id[], changed: Id[]) =>
      claims?.onClaims(new Map(held.map((id) => [id, claimOf(id)])), changed),
    status: (status: FollowStatus) => claims?.onStatus?.(status),
  };
  const answer = async (to: (request: Waiting) => void) => {
    const request = waiting.shift();
    if (!request) throw new Error('no request waits for an answer');
    to(request);
    await setImmediate();
  };
  tell.job(0);
  tell.status('live');
  board.subscribe(() => seen.push(shown()));
  return {
    claim: () => board.claim(JOB),
    release: () => board.release(JOB),
    job: () => board.get().jobs[0],
    requests,
    shown,
    /** What the page has shown since the last call. */
    seen: () => seen.splice(0),
    tell,
    answer: {
      /** Grants the claim with this id, or its release. */
      done: (id: Id) =>
        answer(({ resolve }) => resolve({ ok: true, data: { claim: claimOf(id) } })),
      refused: (code: string) => answer(({ resolve }) => resolve({ ok: false, code })),
      failed: (error: Error) => answer(({ reject }) => reject(error)),
    },
  };
}

const MINE = { claimed: 1, isMine: true };
const FREE = { claimed: 0, isMine: false };

const ORDERS = [
  ['answer', 'job', 'claims'],
  ['answer', 'claims', 'job'],
  ['job', 'answer', 'claims'],
  ['job', 'claims', 'answer'],
  ['claims', 'answer', 'job'],
  ['claims', 'job', 'answer'],
] as const;

describe('a press', () => {
  test.for(ORDERS)('is shown at once, and nothing else before %s, %s and %s', async (order) => {
    const { claim, release, seen, tell, answer } = makeBoard();
    const claimed = {
      answer: () => answer.done(1),
      job: () => tell.job(1),
      claims: () => tell.claims([1], [1]),
    };
    const released = {
      answer: () => answer.done(1),
      job: () => tell.job(0),
      claims: () => tell.claims([], [1]),
    };
    void claim();
    for (const news of order) await claimed[news]();
    expect(new Set(seen().map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify(MINE)]),
    );
    void release();
    for (const news of order) await released[news]();
    expect(new Set(seen().map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify(FREE)]),
    );
  });

  test('on Release during the claim releases the claim as soon as it is granted', async () => {
    const { claim, release, job, requests, shown, answer } = makeBoard();
    void claim();
    const ended = release();
    expect(shown()).toEqual(FREE);
    expect(requests).toEqual(['claim']);
    await answer.done(1);
    expect([shown(), job()?.isPending]).toEqual([FREE, true]);
    expect(requests).toEqual(['claim', 'release 1']);
    await answer.done(1);
    await ended;
    expect([shown(), job()?.isPending]).toEqual([FREE, false]);
  });

  test('on Claim during the release claims the job again', async () => {
    const { claim, release, requests, shown, answer } = makeBoard();
    void claim();
    await answer.done(1);
    void release();
    void claim();
    expect(shown()).toEqual(MINE);
    await answer.done(1);
    expect(requests).toEqual(['claim', 'release 1', 'claim']);
    await answer.done(2);
    expect(shown()).toEqual(MINE);
  });

  test('on Release and again on Claim during the claim changes nothing', async () => {
    const { claim, release, requests, shown, answer } = makeBoard();
    void claim();
    void release();
    void claim();
    await answer.done(1);
    expect([shown(), requests]).toEqual([MINE, ['claim']]);
  });

  test('on Release during a refused claim asks for nothing more', async () => {
    const { claim, release, requests, shown, answer } = makeBoard();
    void claim();
    void release();
    await answer.refused('job-full');
    expect([shown(), requests]).toEqual([FREE, ['claim']]);
  });

  test('on Release during a refused claim releases a slot that the recruiter holds', async () => {
    const { claim, release, requests, tell, answer, shown } = makeBoard();
    const claimed = claim();
    const released = release();
    tell.claims([9], [9]);
    tell.job(1);
    await answer.refused('no-answer');
    expect(requests).toEqual(['claim', 'release 9']);
    await answer.done(9);
    await Promise.all([claimed, released]);
    tell.job(0);
    expect(shown()).toEqual({ claimed: 0, isMine: false });
  });

  test('is not counted twice if it is refused because the recruiter holds the job', async () => {
    const { claim, tell, answer, shown } = makeBoard();
    tell.job(1);
    const claimed = claim();
    tell.claims([9], [9]);
    await answer.refused('already-claimed');
    await claimed;
    expect(shown()).toEqual({ claimed: 1, isMine: true });
  });

  test('is over when the token cannot be had', async () => {
    const { claim, job, shown, answer } = makeBoard();
    const refused = expect(claim()).rejects.toThrow('no session');
    await answer.failed(new Error('no session'));
    await refused;
    expect([shown(), job()?.isPending]).toEqual([FREE, false]);
  });
});

describe('a stream that is late', () => {
  test('does not bring back a released claim', async () => {
    const { claim, release, shown, requests, tell, answer } = makeBoard();
    void claim();
    await answer.done(1);
    void release();
    await answer.done(1);
    tell.claims([1], [1]);
    expect(shown().isMine).toBe(false);
    void claim();
    tell.claims([], [1]);
    await answer.done(2);
    expect(shown().isMine).toBe(true);
    expect(requests).toEqual(['claim', 'release 1', 'claim']);
  });

  test('does not take back a granted claim', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { claim, shown, tell, answer } = makeBoard();
    void claim();
    await answer.done(1);
    tell.status('reconnecting');
    vi.advanceTimersByTime(60_000);
    expect(shown()).toEqual(MINE);
    tell.claims([1], [1]);
    tell.status('live');
    vi.advanceTimersByTime(60_000);
    expect(shown()).toEqual(MINE);
  });

  test('tells by its full state that a granted claim is over again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { claim, shown, tell, answer } = makeBoard();
    void claim();
    await answer.done(1);
    tell.status('reconnecting');
    tell.claims([], []);
    tell.status('live');
    vi.advanceTimersByTime(60_000);
    expect(shown().isMine).toBe(false);
  });

  test('may tell a claim and its end before the answer to the claim', async () => {
    const { claim, shown, tell, answer } = makeBoard();
    void claim();
    tell.claims([], [1]);
    await answer.done(1);
    expect(shown().isMine).toBe(false);
  });
});

afterEach(() => vi.useRealTimers());
