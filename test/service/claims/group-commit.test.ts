import { setImmediate as turn } from 'node:timers/promises';
import postgres from 'postgres';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { BEGIN } from '../../../src/platform/db/parameters.ts';
import {
  type Codecs,
  openSession,
  type SessionSettings,
} from '../../../src/platform/db/session.ts';
import { ClaimQueue, type QueueLimits } from '../../../src/service/claims/group-commit.ts';
import { QUEUE_LIMITS } from '../../../src/service/claims/limits.ts';
import { LONGEST_LEASE_S } from '../../../src/service/claims/routes.ts';
import type { ClaimRequest, Outcome } from '../../../src/service/claims/rules.ts';
import { jobs, recruiters } from '../../../src/service/database/schema.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { untilWaitedFor, whileHeld } from '../../support/locks.ts';

let url: string;
let admin: postgres.Sql;

beforeAll(async () => {
  url = await makeDatabase();
  admin = postgres(url, { max: 2 });
  atEnd(() => admin.end());
});

/** Makes a queue with new connections. Also returns the texts of all statements on them. */
function makeQueue({
  lockTimeoutMs = 2_000,
  ...limits
}: Partial<QueueLimits> & { lockTimeoutMs?: number } = {}) {
  const statements: string[] = [];
  const open = (settings: SessionSettings, codecs: Codecs) => {
    const session = openSession(settings, codecs);
    const run: typeof session.run = (statement) => {
      // A new session first sends its settings. The settings belong to no claim.
      if (!statement.text.includes('set_config')) statements.push(statement.text);
      return session.run(statement);
    };
    return { ...session, run };
  };
  const { db, close } = connect(url, { lockTimeoutMs, open });
  atEnd(close);
  const errors: unknown[] = [];
  const queue = new ClaimQueue(db, { ...QUEUE_LIMITS, ...limits }, (error) => errors.push(error));
  const claim = (jobId: bigint, recruiterId: number) =>
    queue.claim({ jobId, recruiterId: BigInt(recruiterId) });
  return { claim, db, queue, statements, errors };
}

async function makeJobs(count: number, capacity = 4): Promise<bigint[]> {
  const { db } = makeQueue();
  const values = Array.from({ length: count }, () => ({ companyId: 1n, role: 'A job', capacity }));
  return (await db.insert(jobs).values(values).returning()).map(({ id }) => id);
}
const makeJob = async (capacity?: number) => (await makeJobs(1, capacity))[0] ?? 0n;

const holdersOf = async (jobId: bigint): Promise<number[]> =>
  (
    await admin`SELECT recruiter_id::int AS id FROM job_claims WHERE job_id = ${String(jobId)} ORDER BY job_claims.id`
  ).map(({ id }) => id);
const kindsOf = (outcomes: { kind: string }[]) => outcomes.map(({ kind }) => kind);
const range = (count: number, first = 1) => Array.from({ length: count }, (_, n) => first + n);

/**
 * Inserts a claim of this job by recruiter 1 in another session, without the lock of the job. Then
 * runs `work`, and rolls back. If `work` makes the same claim, this claim waits at its INSERT.
 */
async function whileHeldAtInsert<T>(jobId: bigint, work: (pid: number) => Promise<T>): Promise<T> {
  const holder = postgres(url, { max: 1 });
  const rollBack = new Error('roll back');
  let result: Promise<T> | undefined;
  const holding = holder.begin(async (tx) => {
    await tx`SET LOCAL session_replication_role = replica`;
    await tx`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${String(jobId)}, 1)`;
    const [{ pid } = {}] = await tx`SELECT pg_backend_pid() AS pid`;
    result = work(pid);
    await result;
    throw rollBack;
  });
  await expect(holding).rejects.toBe(rollBack);
  await holder.end();
  return result as Promise<T>;
}
describe('claims that come at the same time', () => {
  test('for many jobs are decided in one transaction, and each claim has its own outcome', async () => {
    const { claim, statements } = makeQueue();
    const ids = await makeJobs(50, 2);
    const outcomes = await Promise.all(
      ids.flatMap((jobId) => range(5).map((recruiter) => claim(jobId, recruiter))),
    );
    const each = ['claimed', 'claimed', 'full', 'full', 'full'];
    expect(kindsOf(outcomes)).toEqual(ids.flatMap(() => each));
    for (const [index, outcome] of outcomes.entries())
      if (outcome.kind === 'claimed')
        expect(outcome).toMatchObject({
          claim: { jobId: ids[Math.floor(index / 5)], recruiterId: BigInt((index % 5) + 1) },
          slots: { claimed: (index % 5) + 1, capacity: 2 },
        });
    for (const jobId of ids) expect(await holdersOf(jobId)).toEqual([1, 2]);
    expect(statements.filter((text) => text === BEGIN)).toHaveLength(1);
  });

  test('need fewer than 20 statements if ten thousand claims name the same job', async () => {
    const { claim, db, statements } = makeQueue();
    await db.insert(recruiters).values(range(100).map((n) => ({ name: `More ${n}` })));
    const jobId = await makeJob();
    statements.length = 0;
    const outcomes = await Promise.all(range(10_000).map((n) => claim(jobId, (n % 200) + 1)));
    const count = (kind: string) => outcomes.filter((outcome) => outcome.kind === kind).length;
    expect(count('claimed')).toBe(4);
    expect(count('full') + count('duplicate')).toBe(9_996);
    expect(await holdersOf(jobId)).toHaveLength(4);
    expect(statements.length).toBeLessThan(20);
  });

  test('are decided in the order in which they came', async () => {
    const { claim } = makeQueue();
    const jobId = await makeJob();
    const order = [17, 3, 99, 42, 5, 1, 2];
    const outcomes = await Promise.all(order.map((recruiter) => claim(jobId, recruiter)));
    expect(kindsOf(outcomes).slice(0, 5)).toEqual([...Array(4).fill('claimed'), 'full']);
    expect(await holdersOf(jobId)).toEqual(order.slice(0, 4));
  });

  test('are granted, except the claims of recruiters who do not exist', async () => {
    const { claim } = makeQueue();
    const ids = await makeJobs(20, 1);
    const wrong = new Set([0, 7, 19]);
    const outcomes = await Promise.all(
      ids.map((jobId, n) => claim(jobId, wrong.has(n) ? 9_000_000 : 1)),
    );
    expect(kindsOf(outcomes)).toEqual(
      ids.map((_, n) => (wrong.has(n) ? 'no-such-recruiter' : 'claimed')),
    );
  });

  test('lose no slot to an earlier claim of a recruiter who does not exist', async () => {
    const { claim } = makeQueue();
    const jobId = await makeJob(1);
    const outcomes = await Promise.all([9_000_000, 9_000_001, 5, 6].map((id) => claim(jobId, id)));
    expect(kindsOf(outcomes)).toEqual([
      'no-such-recruiter',
      'no-such-recruiter',
      'claimed',
      'full',
    ]);
  });

  test('are decided in one transaction, even if many claims name recruiters who do not exist', async () => {
    const { claim, queue, statements } = makeQueue();
    const ids = await makeJobs(256);
    const impossible = ids.map((jobId, n) => claim(jobId, 9_000_000 + n));
    const keyed = queue.claimOnce(
      { jobId: ids[0] ?? 0n, recruiterId: 9_000_000n },
      {
        key: { caller: 'a test', key: 'impossible', fingerprint: 'a request', hours: 1 },
        contentOf: async ({ kind }: Outcome) => ({ status: 404, headers: {}, body: kind }),
      },
    );
    const honest = ids.map((jobId) => claim(jobId, 1));
    expect(new Set(kindsOf(await Promise.all(impossible)))).toEqual(new Set(['no-such-recruiter']));
    expect((await keyed).kind).toBe('no-such-recruiter');
    expect(new Set(kindsOf(await Promise.all(honest)))).toEqual(new Set(['claimed']));
    expect(statements.filter((text) => text === BEGIN)).toHaveLength(1);
    const [stored] = await admin`SELECT body FROM idempotency_keys WHERE key = 'impossible'`;
    expect(stored).toEqual({ body: 'no-such-recruiter' });
  });

  test('get `busy` if another session is deleting their recruiter, and are otherwise granted', async () => {
    const { claim, queue, statements } = makeQueue();
    const ids = await makeJobs(20, 1);
    const [leaving] = await admin`INSERT INTO recruiters (name) VALUES ('Leaving') RETURNING id`;
    const holder = postgres(url, { max: 1 });
    const outcomes = await holder.begin(async (tx) => {
      await tx`DELETE FROM recruiters WHERE id = ${leaving?.id}`;
      const key = { caller: 'a test', key: 'leaving', fingerprint: 'a request', hours: 1 };
      const contentOf = async () => ({ status: 503, headers: {}, body: '' });
      return Promise.all([
        ...ids.map((jobId, n) => claim(jobId, n === 7 ? Number(leaving?.id) : 1)),
        queue.claimOnce(
          { jobId: ids[7] ?? 0n, recruiterId: BigInt(leaving?.id) },
          { key, contentOf },
        ),
      ]);
    });
    await holder.end();
    const kinds = kindsOf(outcomes);
    expect(kinds.splice(20)).toEqual(['busy']);
    expect(kinds).toEqual(ids.map((_, n) => (n === 7 ? 'busy' : 'claimed')));
    expect(statements.filter((text) => text === BEGIN)).toHaveLength(1);
    // No answer is stored under the key, so a repeat of the request is decided again.
    expect(await admin`SELECT 1 FROM idempotency_keys WHERE key = 'leaving'`).toHaveLength(0);
    expect((await claim(ids[7] ?? 0n, Number(leaving?.id))).kind).toBe('no-such-recruiter');
  });

  test('may have the largest ids and the longest lease, and each claim has its own outcome', async () => {
    const { claim, queue } = makeQueue();
    const jobId = await makeJob();
    const largest = 2n ** 63n - 1n;
    const asked = (request: ClaimRequest) => queue.claim(request);
    const outcomes = await Promise.all([
      asked({ jobId: largest, recruiterId: 1n }),
      asked({ jobId, recruiterId: largest }),
      asked({ jobId, recruiterId: 2n, leaseSeconds: LONGEST_LEASE_S }),
      claim(jobId, 3),
    ]);
    expect(kindsOf(outcomes)).toEqual(['no-such-job', 'no-such-recruiter', 'claimed', 'claimed']);
  });

  test('are refused for a job that does not exist, and granted for the other jobs', async () => {
    const { claim } = makeQueue();
    const jobId = await makeJob();
    const outcomes = await Promise.all([
      claim(9_000_000n, 1),
      claim(jobId, 1),
      claim(9_000_001n, 1),
    ]);
    expect(kindsOf(outcomes)).toEqual(['no-such-job', 'claimed', 'no-such-job']);
  });

  test('of the same recruiter for the same job are granted only once', async () => {
    const { claim } = makeQueue();
    const jobId = await makeJob();
    const outcomes = await Promise.all(range(50).map(() => claim(jobId, 8)));
    expect(kindsOf(outcomes).sort()).toEqual(['claimed', ...Array(49).fill('duplicate')]);
  });
});

test('the next batch begins before the last one is answered, so PostgreSQL works meanwhile', async () => {
  const { claim, statements } = makeQueue();
  const [one = 0n, two = 0n] = await makeJobs(2);
  const first = claim(one, 1);
  await turn();
  const second = claim(two, 1);
  expect((await first).kind).toBe('claimed');
  expect(statements.filter((text) => text === BEGIN)).toHaveLength(2);
  expect((await second).kind).toBe('claimed');
});

describe('a job that was full at its last claim', () => {
  test('is read without a lock while it is full, and can be claimed as soon as a slot is free again', async () => {
    const { claim, statements } = makeQueue();
    const jobId = await makeJob(1);
    expect(kindsOf([await claim(jobId, 1), await claim(jobId, 2)])).toEqual(['claimed', 'full']);
    statements.length = 0;
    const told = [await claim(jobId, 3), await claim(jobId, 1), await claim(jobId, 3)];
    expect(kindsOf(told)).toEqual(['full', 'duplicate', 'full']);
    expect(statements.join()).not.toContain('for update');
    await admin`DELETE FROM job_claims WHERE job_id = ${String(jobId)}`;
    expect(kindsOf(await Promise.all([claim(jobId, 4), claim(jobId, 5)]))).toEqual([
      'claimed',
      'full',
    ]);
    await admin`UPDATE job_claims SET expires_at = now() WHERE job_id = ${String(jobId)}`;
    expect((await claim(jobId, 4)).kind).toBe('claimed');
  });

  test('is answered `full` immediately, even while another session holds its lock', async () => {
    const { claim } = makeQueue();
    const jobId = await makeJob(1);
    await claim(jobId, 1);
    await claim(jobId, 2);
    await whileHeld(url, jobId, async () => expect((await claim(jobId, 3)).kind).toBe('full'));
  });
});

test('a claim with an idempotency key keeps its position in the queue, while other claims of the same full job are refused earlier', async () => {
  const { claim, queue } = makeQueue({ batch: 1, lockTimeoutMs: 20_000, waitMs: 20_000 });
  const [full = 0n, first = 0n, last = 0n] = await makeJobs(3, 1);
  await claim(full, 1);
  expect((await claim(full, 2)).kind).toBe('full');
  const answered: string[] = [];
  const all = await whileHeldAtInsert(first, async (pid) => {
    const running = claim(first, 1);
    await untilWaitedFor(pid, admin);
    const looking = claim(full, 3);
    const keyed = queue.claimOnce(
      { jobId: full, recruiterId: 4n },
      {
        key: { caller: 'a test', key: 'a key', fingerprint: 'a request', hours: 1 },
        contentOf: async () => ({ status: 403, headers: {}, body: '' }),
      },
    );
    const behind = claim(last, 5);
    const told = [keyed, behind].map((each) => each.then(({ kind }) => answered.push(kind)));
    expect((await looking).kind).toBe('full');
    return { done: Promise.all([running, ...told]) };
  });
  await all.done;
  expect(answered).toEqual(['full', 'claimed']);
});

describe('jobs that the queue does not know', () => {
  const claimsOf = (ids: bigint[], claim: ReturnType<typeof makeQueue>['claim']) =>
    Promise.all(ids.map((jobId) => claim(jobId, 2)));

  test('are read without a lock if most recent jobs were full, and are locked at their first claim if most recent jobs were free', async () => {
    const ids = await makeJobs(300, 1);
    const first = makeQueue();
    await Promise.all(ids.map((jobId) => first.claim(jobId, 1)));
    const { claim, statements } = makeQueue();
    expect(new Set(kindsOf(await claimsOf(ids.slice(0, 200), claim)))).toEqual(new Set(['full']));
    statements.length = 0;
    expect(new Set(kindsOf(await claimsOf(ids.slice(200), claim)))).toEqual(new Set(['full']));
    expect(statements.join()).not.toContain('for update');

    const free = await makeJobs(400, 1);
    expect(new Set(kindsOf(await claimsOf(free.slice(0, 300), claim)))).toEqual(
      new Set(['claimed']),
    );
    statements.length = 0;
    await claimsOf(free.slice(300), claim);
    expect(statements.filter((text) => !/^(begin|commit)/.test(text))[0]).toContain('for update');
  });
});

describe('claims of a full job', () => {
  test('get only one unlocked read while a transaction decides claims of other jobs', async () => {
    const { claim, statements } = makeQueue();
    const [hot = 0n, other = 0n] = await makeJobs(2, 1);
    await claim(hot, 1);
    await claim(hot, 2);
    const { delayed, later } = await whileHeldAtInsert(other, async (pid) => {
      const delayed = claim(other, 1);
      await untilWaitedFor(pid, admin);
      statements.length = 0;
      expect((await claim(hot, 3)).kind).toBe('full');
      const later = [claim(hot, 4), claim(hot, 5)];
      await turn();
      expect(statements).toHaveLength(1);
      return { delayed, later };
    });
    expect(await delayed).toMatchObject({ kind: 'claimed' });
    expect(kindsOf(await Promise.all(later))).toEqual(['full', 'full']);
  });
});

describe('a job that another session has locked', () => {
  test('delays no claim of another job', async () => {
    const { claim } = makeQueue();
    const [held = 0n, ...others] = await makeJobs(21);
    const waiting = await whileHeld(url, held, async ({ untilWaitedFor }) => {
      const mixed = others.flatMap((jobId) => [
        claim(held, Number(jobId % 100n) + 1),
        claim(jobId, 1),
      ]);
      const [, ...rest] = await Promise.all(
        mixed.map((claimed, index) => (index % 2 === 1 ? claimed : undefined)),
      );
      expect(rest.filter((outcome) => outcome?.kind === 'claimed')).toHaveLength(20);
      await untilWaitedFor();
      return { outcomes: Promise.all(mixed.filter((_, index) => index % 2 === 0)) };
    });
    const kinds = kindsOf(await waiting.outcomes);
    expect(kinds.filter((kind) => kind === 'claimed')).toHaveLength(4);
    expect(kinds.slice(0, 4)).toEqual(Array(4).fill('claimed'));
  });

  test('grants no claim, and all its claims get `busy` within the time limit', async () => {
    const { claim, queue } = makeQueue({ lockTimeoutMs: 200, waitMs: 300 });
    const jobId = await makeJob();
    await whileHeld(url, jobId, async () => {
      const outcomes = await Promise.all(range(100).map((recruiter) => claim(jobId, recruiter)));
      expect(new Set(kindsOf(outcomes))).toEqual(new Set(['busy']));
    });
    expect(await holdersOf(jobId)).toEqual([]);
    expect(queue.load()).toEqual({ claims: 0, transactions: 0 });
    expect((await claim(jobId, 1)).kind).toBe('claimed');
  });

  test('delays other batches, so late claims get `busy`, and later batches do not grant these claims', async () => {
    const { claim, queue } = makeQueue({ waitMs: 200 });
    const [held = 0n, ...others] = await makeJobs(1_001);
    const { first, late } = await whileHeldAtInsert(held, async (pid) => {
      const first = claim(held, 1);
      await untilWaitedFor(pid, admin);
      const late = range(4).flatMap((recruiter) => others.map((id) => claim(id, recruiter)));
      await late[0];
      // The next batch may begin now, while most of the late claims wait for their answers.
      return { first, late };
    });
    expect((await first).kind).toBe('claimed');
    // On a slow machine, the last of these claims may be decided in time and granted.
    const kinds = kindsOf(await Promise.all(late));
    expect(kinds).toContain('busy');
    await vi.waitFor(() => expect(queue.load()).toEqual({ claims: 0, transactions: 0 }));
    const granted = (index: number) =>
      range(4).filter((_, row) => kinds[row * others.length + index] === 'claimed');
    expect(await Promise.all(others.map(holdersOf))).toEqual(others.map((_, n) => granted(n)));
  });

  test('has a transaction that waits, and claims of a second locked job get `busy` in time if no other may wait', async () => {
    const { claim } = makeQueue({ lockWaits: 1, lockTimeoutMs: 20_000, waitMs: 200 });
    const [first = 0n, second = 0n] = await makeJobs(2);
    const outcome = await whileHeld(url, first, ({ untilWaitedFor }) =>
      whileHeld(url, second, async () => {
        const inLine = claim(first, 1);
        await untilWaitedFor();
        expect((await claim(second, 1)).kind).toBe('busy');
        return { inLine };
      }),
    );
    expect((await outcome.inLine).kind).toBe('claimed');
  });
});

describe('the queue', () => {
  test('refuses a claim immediately if the maximum number of claims waits', async () => {
    const { claim } = makeQueue({ waiting: 10 });
    const jobId = await makeJob();
    const { first, late } = await whileHeld(url, jobId, async () => {
      const first = range(10).map((recruiter) => claim(jobId, recruiter));
      return { first, late: await claim(jobId, 11) };
    });
    expect(late.kind).toBe('busy');
    expect(kindsOf(await Promise.all(first)).filter((kind) => kind === 'claimed')).toHaveLength(4);
  });

  test('rejects each claim of a batch that fails with an unexpected error, and decides later claims', async () => {
    const { claim, queue } = makeQueue();
    const [one = 0n, two = 0n] = await makeJobs(2);
    await admin`ALTER TABLE job_claims RENAME COLUMN recruiter_id TO hidden`;
    const results = await Promise.allSettled([claim(one, 1), claim(two, 1)]);
    await admin`ALTER TABLE job_claims RENAME COLUMN hidden TO recruiter_id`;
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(queue.load()).toEqual({ claims: 0, transactions: 0 });
    expect((await claim(one, 1)).kind).toBe('claimed');
  });
});

test('three queues on the same database answer every claim of a crowd, and grant no more claims than slots', async () => {
  const queues = [makeQueue(), makeQueue(), makeQueue()];
  for (let round = 0; round < 5; round++) {
    const ids = await makeJobs(10);
    const outcomes = await Promise.all(
      range(50).flatMap((recruiter) =>
        ids.map((jobId, n) => queues[(recruiter + n) % 3]?.claim(jobId, recruiter)),
      ),
    );
    const kinds = outcomes.map((outcome) => outcome?.kind);
    expect(kinds.filter((kind) => kind === 'claimed')).toHaveLength(40);
    expect(kinds.filter((kind) => kind === 'full')).toHaveLength(460);
    for (const jobId of ids) expect(await holdersOf(jobId)).toHaveLength(4);
  }
});
