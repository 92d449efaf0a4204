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
const claimOf = (id: Id, expiresAt: string | null = null): HeldClaim => ({
  ...{ id, jobId: JOB, recruiterId: 7, expiresAt },
});
const ENDS = '2030-01-01T00:00:00Z';
const ENDS_LATER = '2030-01-01T00:15:00Z';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Makes a board whose service answers requests and sends changes only when the test says so. */
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
    claimJob: ({ leaseSeconds }: { leaseSeconds?: number }) =>
      ask(leaseSeconds === undefined ? 'claim' : `claim for ${leaseSeconds}`),
    renewClaim: ({ id, leaseSeconds }: { id: Id; leaseSeconds: number }) =>
      ask(`renew ${id} for ${leaseSeconds}`),
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
    /** Sends all present claims and the ids of the changed claims. */
    claims: (held: Id[], changed: Id[], expiresAt?: string) =>
      claims?.onClaims(new Map(held.map((id) => [id, claimOf(id, expiresAt)])), changed),
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
    claim: (leaseSeconds?: number) => board.claim(JOB, leaseSeconds),
    stop: () => board.stop(),
    release: () => board.release(JOB),
    job: () => board.get().jobs[0],
    requests,
    shown,
    /** Returns the states that the page has shown since the last call. */
    seen: () => seen.splice(0),
    tell,
    answer: {
      /** Grants the claim with this id, or its release, or its renewal. */
      done: (id: Id, expiresAt?: string) =>
        answer(({ resolve }) => resolve({ ok: true, data: { claim: claimOf(id, expiresAt) } })),
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
  test.for(ORDERS)('is shown immediately, and stays while %s, %s and %s come', async (order) => {
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

  test('on Release during the claim releases the claim as soon as the claim is granted', async () => {
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

  test('on Claim during the release claims the job, although the old claim was already over', async () => {
    const { claim, release, shown, job, requests, answer } = makeBoard();
    void claim();
    await answer.done(1);
    void release();
    const ended = claim();
    await answer.refused('claim-not-found');
    await answer.done(2);
    await ended;
    expect(requests).toEqual(['claim', 'release 1', 'claim']);
    expect([shown(), job()?.problem]).toEqual([MINE, undefined]);
  });

  test('on Claim during a refused release keeps the claim, and shows the reason', async () => {
    const { claim, release, shown, job, requests, answer } = makeBoard();
    void claim();
    await answer.done(1);
    void release();
    const ended = claim();
    await answer.refused('no-answer');
    await ended;
    expect(requests).toEqual(['claim', 'release 1']);
    expect([shown(), job()?.problem?.code]).toEqual([MINE, 'no-answer']);
  });

  test('on Release and again on Claim during the claim sends no further request', async () => {
    const { claim, release, requests, shown, answer } = makeBoard();
    void claim();
    void release();
    void claim();
    await answer.done(1);
    expect([shown(), requests]).toEqual([MINE, ['claim']]);
  });

  test('on Release during a refused claim sends no further request', async () => {
    const { claim, release, requests, shown, answer } = makeBoard();
    void claim();
    void release();
    await answer.refused('job-full');
    expect([shown(), requests]).toEqual([FREE, ['claim']]);
  });

  test('on Release during a refused claim releases a claim that the recruiter still has', async () => {
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

  test('on Claim is not counted twice if the recruiter has a claim on the job already', async () => {
    const { claim, tell, answer, shown } = makeBoard();
    tell.job(1);
    const claimed = claim();
    tell.claims([9], [9]);
    await answer.refused('already-claimed');
    await claimed;
    expect(shown()).toEqual({ claimed: 1, isMine: true });
  });

  test('on Claim ends with an error if the client cannot get a token', async () => {
    const { claim, job, shown, answer } = makeBoard();
    const refused = expect(claim()).rejects.toThrow('no session');
    await answer.failed(new Error('no session'));
    await refused;
    expect([shown(), job()?.isPending]).toEqual([FREE, false]);
  });
});

describe('the last press on Claim decides the lease', () => {
  test('also after a press on Release, and the recruiter keeps the slot', async () => {
    const { claim, release, job, requests, answer } = makeBoard();
    void claim(60);
    void release();
    const ended = claim(900);
    await answer.done(1, ENDS);
    await answer.done(1, ENDS_LATER);
    await ended;
    expect(requests).toEqual(['claim for 60', 'renew 1 for 900']);
    expect(job()).toMatchObject({ claimed: 1, isPending: false, problem: undefined });
    expect(job()?.claim).toEqual(claimOf(1, ENDS_LATER));
  });

  test('and the client does not request the lease of a press in between', async () => {
    const { claim, requests, answer } = makeBoard();
    void claim(60);
    void claim(900);
    const ended = claim(60);
    await answer.done(1, ENDS);
    await ended;
    expect(requests).toEqual(['claim for 60']);
  });

  test.for([
    { first: undefined, last: 60, wanted: ['claim', 'release 1', 'claim for 60'] },
    { first: 60, last: undefined, wanted: ['claim for 60', 'release 1', 'claim'] },
  ])('and replaces the lease $first by $last with a new claim, not a renewal', async (example) => {
    const { first, last, wanted } = example;
    const endOf = (lease: number | undefined) => (lease ? ENDS : undefined);
    const { claim, shown, requests, answer } = makeBoard();
    void claim(first);
    const ended = claim(last);
    await answer.done(1, endOf(first));
    await answer.done(1, endOf(first));
    expect(shown()).toEqual(MINE);
    await answer.done(2, endOf(last));
    await ended;
    expect([shown(), requests]).toEqual([MINE, wanted]);
  });

  test('and the page shows the refusal of this press if another recruiter was faster', async () => {
    const { claim, job, shown, answer } = makeBoard();
    void claim();
    const ended = claim(60);
    await answer.done(1);
    await answer.done(1);
    await answer.refused('job-full');
    await ended;
    expect([shown(), job()?.problem?.code]).toEqual([FREE, 'job-full']);
  });

  test('and the client does not repeat a refused release of the earlier claim', async () => {
    const { claim, job, shown, requests, answer } = makeBoard();
    void claim();
    const ended = claim(60);
    await answer.done(1);
    await answer.refused('busy');
    await ended;
    expect(requests).toEqual(['claim', 'release 1']);
    expect([shown(), job()?.problem?.code]).toEqual([MINE, 'busy']);
  });

  test('and the client claims the job again if the claim is over before its renewal', async () => {
    const { claim, job, requests, answer } = makeBoard();
    void claim(1);
    const ended = claim(900);
    await answer.done(1, ENDS);
    await answer.refused('claim-not-found');
    await answer.done(2, ENDS_LATER);
    await ended;
    expect(requests).toEqual(['claim for 1', 'renew 1 for 900', 'claim for 900']);
    expect(job()).toMatchObject({ problem: undefined, claim: { id: 2 } });
  });

  test('even if the first press had an invalid lease and was refused', async () => {
    const { claim, job, requests, answer } = makeBoard();
    void claim(-1);
    const ended = claim(60);
    await answer.refused('invalid-request');
    await answer.done(1, ENDS);
    await ended;
    expect(requests).toEqual(['claim for -1', 'claim for 60']);
    expect(job()).toMatchObject({ problem: undefined, claim: { id: 1 } });
  });

  test('also if only the stream shows that the claim of the first press was granted', async () => {
    const { claim, job, requests, tell, answer } = makeBoard();
    void claim(60);
    const ended = claim(900);
    tell.claims([1], [1], ENDS);
    await answer.refused('no-answer');
    await answer.done(1, ENDS_LATER);
    await ended;
    expect(requests).toEqual(['claim for 60', 'renew 1 for 900']);
    expect(job()?.problem).toBeUndefined();
  });

  test('but a press after the answer requests a new claim, not a renewal', async () => {
    const { claim, job, shown, requests, answer } = makeBoard();
    void claim(60);
    await answer.done(1, ENDS);
    const ended = claim(900);
    await answer.refused('already-claimed');
    await ended;
    expect(requests).toEqual(['claim for 60', 'claim for 900']);
    expect([shown(), job()?.problem?.code]).toEqual([MINE, 'already-claimed']);
  });

  test('and the client requests an invalid lease only once', async () => {
    const { claim, job, requests, answer } = makeBoard();
    const ended = claim(Number.NaN);
    await answer.refused('invalid-request');
    await ended;
    expect(requests).toEqual(['claim for NaN']);
    expect(job()?.problem?.code).toBe('invalid-request');
  });

  test('and the claim stays if its renewal is refused', async () => {
    const { claim, job, shown, requests, answer } = makeBoard();
    void claim(60);
    const ended = claim(-1);
    await answer.done(1, ENDS);
    await answer.refused('invalid-request');
    await ended;
    expect(requests).toEqual(['claim for 60', 'renew 1 for -1']);
    expect([shown(), job()?.problem?.code]).toEqual([MINE, 'invalid-request']);
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

  test('ends a granted claim if its full state does not have the claim', async () => {
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

  test('leaves no timer behind when the page stops', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { claim, stop, tell, answer } = makeBoard();
    void claim();
    await answer.done(1);
    tell.status('live');
    expect(vi.getTimerCount()).toBe(1);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may report the end of a claim before the answer to the claim comes', async () => {
    const { claim, shown, tell, answer } = makeBoard();
    void claim();
    tell.claims([], [1]);
    await answer.done(1);
    expect(shown().isMine).toBe(false);
  });
});

afterEach(() => vi.useRealTimers());
