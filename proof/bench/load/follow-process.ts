/**
 * The program of the followers. It obeys orders of its parent process, and ends with its parent.
 */
import { claimEach, Followers, type FollowOrder, type FollowReport } from './follow.ts';

let followers: Followers | undefined;

async function obey(order: FollowOrder): Promise<number[]> {
  if (order.kind === 'follow') followers = await Followers.open(order.origins, order.followers);
  if (order.kind === 'leave') followers?.leave();
  return order.kind === 'claim' && followers ? claimEach(followers, order.jobs, order.seconds) : [];
}

process.on('disconnect', () => process.exit());
process.on('message', async (order: FollowOrder) => {
  const report: FollowReport = await obey(order).then(
    (toldMs) => ({ toldMs }),
    (error: Error) => ({ failed: error.message }),
  );
  process.send?.(report);
});
