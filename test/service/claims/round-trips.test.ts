import { expect, test, vi } from 'vitest';
import { connect } from '../../../src/platform/db/client.ts';
import { QUEUE_LIMITS } from '../../../src/service/claims/limits.ts';
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
