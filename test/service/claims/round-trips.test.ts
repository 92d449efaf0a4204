import { expect, test, vi } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { claimJob, releaseClaim } from '../../../src/service/claims/claim.ts';
import { QUEUE_LIMITS } from '../../../src/service/claims/limits.ts';
import { joinLine } from '../../../src/service/waitlist/line.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { makeHoldingWay } from '../../support/round-trips.ts';

test('a lone claim takes two round trips: BEGIN, the lock and the read, then INSERT and COMMIT', async () => {
  const way = await makeHoldingWay(await makeDatabase());
  const { db, close } = connect(way.url, { connections: 1 });
  atEnd(close);
  // Another test of this process may have granted so many claims that PostgreSQL plans anew.
  vi.resetModules();
  const { ClaimQueue } = await import('../../../src/service/claims/group-commit.ts');
  const queue = new ClaimQueue(db, QUEUE_LIMITS, () => undefined);
  const claim = async (jobId: bigint) => {
    const outcome = await queue.claim({ jobId, recruiterId: 1n });
    expect(outcome.kind).toBe('claimed');
  };
  // PostgreSQL describes each statement once to a session.
  await claim(1n);
  expect(await way.inRoundTrips([3, 2], () => claim(2n))).toBe(5);
});

test('a release takes four round trips, and three if the slot goes to the line', async () => {
  const databaseUrl = await makeDatabase();
  const way = await makeHoldingWay(databaseUrl);
  const { db, close } = connect(way.url, { connections: 1 });
  const near = connect(databaseUrl, { connections: 1 });
  atEnd(() => Promise.all([close(), near.close()]));
  /** Fills a job, and puts recruiters in its line. Returns the ids of the claims. */
  const makeFull = async (jobId: bigint, line: bigint[]) => {
    const ids: bigint[] = [];
    for (const recruiterId of [1n, 2n, 3n, 4n]) {
      const outcome = await claimJob(near.db, { jobId, recruiterId });
      if (outcome.kind === 'claimed') ids.push(outcome.claim.id);
    }
    for (const recruiterId of line) await joinLine(near.db, { jobId, recruiterId }, 15);
    return ids;
  };
  const release = async (id: bigint | undefined, remaining: number) => {
    const outcome = await releaseClaim(db, { id: id ?? 0n });
    expect(outcome).toMatchObject({ kind: 'done', slots: { remaining } });
  };
  const [alone, again] = await makeFull(1n, []);
  const [first, second] = await makeFull(2n, [5n, 6n]);
  // PostgreSQL describes each statement once to a session.
  await release(alone, 1);
  await release(first, 0);
  // BEGIN and the read of the claim, the lock and the read, DELETE, COMMIT.
  expect(await way.inRoundTrips([2, 2, 1, 1], () => release(again, 2))).toBe(6);
  expect(await way.inRoundTrips([2, 2, 3], () => release(second, 0))).toBe(7);
});
