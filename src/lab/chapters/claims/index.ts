import type { Chapter } from '../../chapter.ts';
import { faults, promises } from './faults.ts';
import { programs } from './programs.ts';
import { race } from './race.ts';
import { serverPerDatabase } from './servers.ts';
import { type ClaimSituation, situationsOf } from './situations.ts';
import { sql } from './sql.ts';
import { lockable, readState } from './state.ts';
import { strategies } from './strategies/index.ts';
import type { ClaimStrategy } from './strategy.ts';
import { migrations } from './tables.ts';
import { claimTrial } from './trial.ts';

/** Many recruiters claim four slots. Production locks the job's row, and then counts. */
export const claims: Chapter<ClaimStrategy, ClaimSituation> = {
  name: 'claims',
  question: 'A job takes four recruiters. How does a recruiter claim a slot?',
  session: { one: 'recruiter', many: 'recruiters' },
  migrations,
  production: 'src/service/claims',
  strategies,
  situationsOf,
  // Two sessions do not show every fault: a lock may change its name with the second claim.
  mostOfThree: 500,
  faults,
  promises,
  crowd: { name: 'crowd', idea: 'a crowd', capacity: 4, taken: 0 },
  race,
  lockable,
  programs,
  trial: claimTrial,
  readState,
  sql,
  entry: 'claim',
  example: 'export default { claim(db, request) { … } }',
  strategyOf(exported, name, again) {
    const own = given(exported);
    if (!own) return undefined;
    const usual = { name, idea: '', promise: 'capacity' } as const;
    // In a trial, each session has a separate server. So a queue or a lock in memory does not help.
    const restart = () => serverPerDatabase(() => (given(again()) ?? own).claim);
    // A file with a `restart` of its own has one server for all sessions.
    return { ...usual, restart, ...('restart' in own && { isOneProcess: true as const }), ...own };
  },
};

/**
 * Returns the parts of a strategy that the file exports. Returns undefined without a function
 * `claim`.
 */
function given(exported: unknown): Pick<ClaimStrategy, 'claim'> | undefined {
  if (typeof exported === 'function') return { claim: exported as ClaimStrategy['claim'] };
  if (typeof exported !== 'object' || !exported || !('claim' in exported)) return undefined;
  // A spread does not copy the methods of a class. So we bind `claim` to the original object, which
  // has the other methods.
  const { claim, ...others } = exported as ClaimStrategy;
  return typeof claim === 'function' ? { ...others, claim: claim.bind(exported) } : undefined;
}
