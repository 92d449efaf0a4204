import type { RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';
import rightHandle from './right-nowait.ts';

/** Wrong: the answer has a receipt that belongs to no charge. */
const handle: RetryStrategy['handle'] = async (db, request, server) => {
  const answer = await rightHandle(db, request, server);
  return answer.kind === 'done' ? { kind: 'done', receipt: 1_000 } : answer;
};
export default handle;
