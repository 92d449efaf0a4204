import type { Chapter } from '../../chapter.ts';
import { faults, promises } from './faults.ts';
import { race } from './race.ts';
import { crowdOf, type LineSituation, situations } from './situations.ts';
import { lockable, readState } from './state.ts';
import { strategies } from './strategies/index.ts';
import type { WaitlistStrategy } from './strategy.ts';
import { migrations } from './tables.ts';
import { waitlistTrial } from './trial.ts';

/**
 * A full job has a line. Production offers each free slot to the first in line, in the transaction
 * that frees the slot.
 */
export const waitlist: Chapter<WaitlistStrategy, LineSituation> = {
  name: 'waitlist',
  question: 'Recruiters wait in line for a full job. How does nobody overtake them?',
  session: { one: 'server', many: 'servers' },
  migrations,
  production: 'src/service/claims',
  strategies,
  situationsOf: () => situations,
  faults,
  promises,
  crowd: crowdOf(4, 8),
  race,
  lockable,
  trial: waitlistTrial,
  readState,
  entry: 'change',
  example: 'export default { change(db, request) { … } }',
  strategyOf(exported, name, again) {
    const change = changeOf(exported);
    return (
      change && {
        ...{ name, idea: '', promise: 'line', change },
        restart: () => changeOf(again()) ?? change,
      }
    );
  },
};

/** Returns the function that a file exports by itself, or as `change` of an object. */
function changeOf(exported: unknown): WaitlistStrategy['change'] | undefined {
  if (typeof exported === 'function') return exported as WaitlistStrategy['change'];
  if (typeof exported !== 'object' || !exported || !('change' in exported)) return undefined;
  const { change } = exported;
  // A class may need `this`.
  return typeof change === 'function' ? change.bind(exported) : undefined;
}
