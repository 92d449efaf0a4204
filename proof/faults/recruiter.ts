import type { Dice } from './dice.ts';
import type { How, Load } from './load.ts';
import type { Operation } from './possible.ts';

/**
 * The jobs to claim. Half of all claims go to the few hot jobs, the other half to the spread jobs.
 */
export interface Openings {
  hot: string[];
  spread: string[];
}

/** The number of recruiters that claim at the same time. */
export const RECRUITERS = 40;
/**
 * The lengths of leases. The first lease usually ends while the load runs. The second lease
 * outlasts the load.
 */
const LEASES_S = [1, 3_600];

/** Makes a recruiter claim, renew and release jobs at random until the load has ended. */
export async function work(recruiterId: string, load: Load, openings: Openings, dice: Dice) {
  /** The ids of the claims that this recruiter knows, by job id. Some claims may have ended. */
  let held = new Map<string, string>();
  for (;;) {
    await load.turn();
    if (load.hasEnded) return;
    const did = choose(recruiterId, held, openings, dice);
    const result = await load.settle(did, chooseHow(dice));
    if (result.kind === 'claimed') held.set(did.jobId, result.id);
    if (result.kind === 'released' || result.kind === 'gone') held.delete(did.jobId);
    // An earlier request has claimed the job, but the answer with the claim's id was lost. Look the
    // id up.
    if (result.kind === 'duplicate' && !held.has(did.jobId)) held = await load.look(recruiterId);
  }
}

function choose(
  recruiterId: string,
  held: Map<string, string>,
  openings: Openings,
  dice: Dice,
): Operation {
  const mine = dice.any([...held]);
  if (mine !== undefined && dice.chance(0.55)) {
    const [jobId, id] = mine;
    const which = { jobId, recruiterId, id };
    return dice.chance(0.75)
      ? { kind: 'release', ...which }
      : { kind: 'renew', ...which, leaseSeconds: anyLease(dice) };
  }
  const jobId = dice.any(dice.chance(0.5) ? openings.hot : openings.spread) ?? '';
  const lease = dice.chance(0.5) ? { leaseSeconds: anyLease(dice) } : {};
  return { kind: 'claim', jobId, recruiterId, ...lease };
}

/**
 * Chooses how to send an operation. Six in ten operations have a key. Half of the operations with a
 * key are sent one additional time.
 */
function chooseHow(dice: Dice): How {
  if (dice.chance(0.4)) return { keyed: false, byGet: dice.chance(0.5) };
  const again = dice.any(['after its answer', 'at once', undefined, undefined] as const);
  return { keyed: true, byGet: dice.chance(0.5), again };
}

const anyLease = (dice: Dice) => dice.any(LEASES_S) ?? 1;
