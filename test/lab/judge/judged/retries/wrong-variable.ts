import { done } from 'rowlock/lab/chapters/retries/queries.ts';
import type { Answer, RetryStrategy } from 'rowlock/lab/chapters/retries/strategy.ts';

/** Wrong: the answers are in a variable, so they are lost when the process dies. */
const answers = new Map<string, Answer>();

const handle: RetryStrategy['handle'] = async (_db, { key }, server) => {
  const known = answers.get(key);
  if (known) return known;
  const answer = done(await server.charge());
  answers.set(key, answer);
  return answer;
};
export default handle;
