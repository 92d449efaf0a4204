import type { Chapter } from '../../chapter.ts';
import { faults, promises } from './faults.ts';
import { race } from './race.ts';
import { type QueueSituation, situationsOf } from './situations.ts';
import { sql } from './sql.ts';
import { lockable, readState } from './state.ts';
import { strategies } from './strategies/index.ts';
import type { QueueStrategy } from './strategy.ts';
import { migrations } from './tables.ts';
import { queueTrial } from './trial.ts';

/**
 * Workers do tasks, and may die. Production uses a lease, and only the newest attempt may write the
 * outcome.
 */
export const queue: Chapter<QueueStrategy, QueueSituation> = {
  name: 'queue',
  question: 'Workers may die at any moment. How is each task done once?',
  session: { one: 'worker', many: 'workers' },
  ledger: 'Mails sent',
  afterwards: 'time passes, and a new worker works until nothing is due',
  migrations,
  production: 'src/service/queue',
  strategies,
  situationsOf,
  faults,
  promises,
  crowd: { name: 'crowd', idea: 'a crowd', tasks: 8 },
  race,
  lockable,
  trial: queueTrial,
  readState,
  sql,
  entry: 'work',
  example: 'export default { work(db, worker) { … } }',
  strategyOf(exported, name, again) {
    const own = given(exported);
    // Time passes for every judged strategy. Without a lease, time changes nothing.
    const usual = { name, idea: '', promise: 'once', timed: true } as const;
    return own && { ...usual, restart: () => given(again())?.work ?? own.work, ...own };
  },
};

/**
 * Returns the parts of a strategy that the file exports. Returns undefined without a function
 * `work`.
 */
function given(exported: unknown): Pick<QueueStrategy, 'work'> | undefined {
  if (typeof exported === 'function') return { work: exported as QueueStrategy['work'] };
  if (typeof exported !== 'object' || !exported || !('work' in exported)) return undefined;
  // A spread does not copy the methods of a class. So we bind `work` to the original object, which
  // has the other methods.
  const { work, ...others } = exported as QueueStrategy;
  return typeof work === 'function' ? { ...others, work: work.bind(exported) } : undefined;
}
