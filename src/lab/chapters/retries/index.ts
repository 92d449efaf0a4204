import type { Chapter } from '../../chapter.ts';
import { faults, promises } from './faults.ts';
import { race } from './race.ts';
import { type RetrySituation, situationsOf } from './situations.ts';
import { sql } from './sql.ts';
import { lockable, readState } from './state.ts';
import { strategies } from './strategies/index.ts';
import type { RetryStrategy } from './strategy.ts';
import { migrations } from './tables.ts';
import { retryTrial } from './trial.ts';

/**
 * Clients repeat their requests. Production keeps the key, the work and the answer in one
 * transaction.
 */
export const retries: Chapter<RetryStrategy, RetrySituation> = {
  name: 'retries',
  question: 'A client asks again if no answer comes. How is each request done once?',
  session: { one: 'request', many: 'requests' },
  ledger: 'Charges, answers and retries',
  afterwards: 'the client asks again until it is told, and once more to compare the answers',
  migrations,
  production: 'src/service/idempotency',
  strategies,
  situationsOf,
  faults,
  promises,
  crowd: { name: 'crowd', idea: 'a crowd' },
  race,
  lockable,
  trial: retryTrial,
  readState,
  sql,
  entry: 'handle',
  example: 'export default { handle(db, request, server) { … } }',
  strategyOf(exported, name, again) {
    const own = given(exported);
    // Time passes for every judged strategy. Without a lease, time changes nothing.
    const usual = { name, idea: '', promise: 'once', timed: true } as const;
    return own && { ...usual, restart: () => given(again())?.handle ?? own.handle, ...own };
  },
};

/**
 * Returns the parts of a strategy that the file exports. Returns undefined without a function
 * `handle`.
 */
function given(exported: unknown): Pick<RetryStrategy, 'handle'> | undefined {
  if (typeof exported === 'function') return { handle: exported as RetryStrategy['handle'] };
  if (typeof exported !== 'object' || !exported || !('handle' in exported)) return undefined;
  // A spread does not copy the methods of a class. So we bind `handle` to the original object,
  // which has the other methods.
  const { handle, ...others } = exported as RetryStrategy;
  return typeof handle === 'function' ? { ...others, handle: handle.bind(exported) } : undefined;
}
