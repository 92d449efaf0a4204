import type { Database } from '../../../platform/db/client.ts';
import type { Outcome } from '../../../service/claims/rules.ts';
import { settle } from '../../../service/claims/settle.ts';
import { type Ending, isOfTrial, type Sleep, sessionsIn, type Trial } from '../../chapter.ts';
import { assess, kindsOf, type RecruiterAnswer } from './answers.ts';
import { withSleep } from './clock.ts';
import { JOB, releaseSlot, setUp } from './rows.ts';
import type { ClaimSituation } from './situations.ts';
import type { ClaimStrategy } from './strategy.ts';

/** Makes a trial in which all sessions claim one job by this strategy. */
export function claimTrial(
  strategy: Pick<ClaimStrategy, 'claim' | 'timed' | 'restart'>,
  situation: ClaimSituation,
  sessions: number,
): Trial {
  const { timePasses, firstRollsBack, sameRecruiter } = situation;
  const count = sessionsIn(situation, sessions);
  // All schedules use the same trial, so each set-up makes a new promise.
  let released: Promise<void> | undefined;
  let tellRelease = () => {};
  let claim = strategy.claim;
  const ask = (db: Database, recruiter: number) =>
    settle(claim(db, { jobId: BigInt(JOB), recruiterId: BigInt(recruiter) }));
  const program = (session: number) => (db: Database, sleep: Sleep) => {
    if (isReleaser(situation, session)) return releaseSlot(db).finally(tellRelease);
    const asking = recruitersOf(situation, session).map((recruiter) => () => ask(db, recruiter));
    return withSleep(sleep, () => askAll(situation, asking, released));
  };
  const trial: Trial = {
    setUp(admin) {
      // New servers remember nothing of the earlier schedule, and no earlier claim waits in their
      // memory.
      claim = strategy.restart?.() ?? strategy.claim;
      released = new Promise((resolve) => {
        tellRelease = resolve;
      });
      return setUp(admin, situation);
    },
    sessions: Array.from({ length: count }, (_, index) => program(index + 1)),
    areIdentical: !firstRollsBack && !situation.releases,
    judge: (admin, endings, last) =>
      assess(admin, situation, answersIn(situation, last ? [...endings, last] : endings)),
  };
  if (sameRecruiter) {
    const another = program(count + 1);
    trial.afterwards = () => another;
    trial.afterwardsAtOnce = true;
  }
  if (strategy.timed && timePasses) trial.timePasses = true;
  if (firstRollsBack) trial.rollsBack = { session: 1, table: 'job_claims' };
  return trial;
}

/**
 * Returns the recruiters of a session. Session 1 is recruiter 1, and so on. A session that is a
 * server has two recruiters.
 */
function recruitersOf(situation: ClaimSituation, session: number): number[] {
  if (isReleaser(situation, session)) return [];
  if (situation.sameRecruiter && session <= (situation.sessions ?? 0)) return [1];
  return situation.onServers ? [2 * session - 1, 2 * session] : [session];
}

const isReleaser = ({ releases }: ClaimSituation, session: number) => releases && session === 2;

type Ask = () => Promise<Outcome>;

/**
 * Returns the outcomes of a session's recruiters. If there is only one outcome, returns the outcome
 * without a list.
 */
async function askAll(
  { asksAgain, onServers, releases }: ClaimSituation,
  asking: Ask[],
  released: Promise<void> | undefined,
) {
  const outcomes = await Promise.all(
    asking.map(async (ask) => {
      const again = (error: unknown) => (isOfTrial(error) ? ask() : Promise.reject(error));
      const outcome = await (asksAgain ? ask().catch(again) : ask());
      if (outcome.kind !== 'full' && outcome.kind !== 'busy') return outcome;
      if (releases) await released;
      return releases || (onServers && outcome.kind === 'full') ? ask() : outcome;
    }),
  );
  return outcomes.length === 1 ? outcomes[0] : outcomes;
}

/** Returns the answers to all recruiters. Reads them from the ends of the sessions. */
const answersIn = (situation: ClaimSituation, endings: Ending[]): RecruiterAnswer[] =>
  endings.flatMap((ending, index) => {
    const kinds = kindsOf(ending);
    return recruitersOf(situation, index + 1).map((recruiter, at) => ({
      recruiter,
      kind: at in kinds ? kinds[at] : kinds[0],
    }));
  });
