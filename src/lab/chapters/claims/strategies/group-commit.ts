import { claimInLine, claimTogether } from '../../../../claims/batching/group-commit.ts';
import type { Outcome } from '../../../../claims/rules.ts';
import type { Strategy } from '../strategy.ts';

/**
 * Many claims in one transaction: it locks the jobs that nobody else has, in the order of their ids,
 * and waits for none, so a held job delays no other; who asked for one of those waits in a line of
 * its own. Here each batch is of one claim. This is not a copy of production's, it is those functions.
 */
export const groupCommit: Strategy = {
  name: 'group-commit',
  idea: 'batches that skip locked jobs, and a line for those',
  promise: 'capacity',
  async claim(db, request) {
    const [together] = await claimTogether({ db, subscribers: [] }, [{ request }]);
    if (together?.kind !== 'locked-elsewhere') return together as Outcome;
    const [inLine] = await claimInLine({ db, subscribers: [] }, [{ request }]);
    return inLine as Outcome;
  },
};
