import type { Chapter } from '../../chapter.ts';
import { faults, promises } from './faults.ts';
import { race } from './race.ts';
import { type RetrySituation, situationsOf } from './situations.ts';
import { lockable, readState } from './state.ts';
import { strategies } from './strategies/index.ts';
import type { RetryStrategy } from './strategy.ts';
import { migrations } from './tables.ts';
import { retryTrial } from './trial.ts';

/** Requests that come again. Production's answer: key, work and answer in one transaction. */
export const retries: Chapter<RetryStrategy, RetrySituation> = {
  name: 'retries',
  question: 'A client asks again if no answer comes. How is each request done once?',
  session: { one: 'request', many: 'requests' },
  ledger: 'Charges, answers and retries',
  afterwards: 'the client asks again until it is told, and once more to compare the answers',
  migrations,
  production: 'src/http/idempotency',
  strategies,
  situationsOf,
  faults,
  promises,
  crowd: { name: 'crowd', idea: 'a crowd' },
  race,
  lockable,
  trial: retryTrial,
  readState,
  entry: 'handle',
  example: 'export default { handle(db, request, server) { … } }',
  strategyOf(exported, name, again) {
    const own = given(exported);
    // Time passes for every judged strategy. Without a lease, time changes nothing.
    const usual = { name, idea: '', promise: 'once', timed: true } as const;
    return own && { ...usual, restart: () => given(again())?.handle ?? own.handle, ...own };
  },
};

/** The given parts of a strategy. Undefined without `handle`. */
function given(exported: unknown): Pick<RetryStrategy, 'handle'> | undefined {
  if (typeof exported === 'function') return { handle: exported as RetryStrategy['handle'] };
  if (typeof exported !== 'object' || !exported || !('handle' in exported)) return undefined;
  // We bind `handle`, since a spread does not copy the methods of a class.
  const { handle, ...others } = exported as RetryStrategy;
  return typeof handle === 'function' ? { ...others, handle: handle.bind(exported) } : undefined;
}
