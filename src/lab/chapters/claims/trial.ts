import type { Database } from '../../../platform/db/client.ts';
import type { Outcome } from '../../../service/claims/rules.ts';
import { settle } from '../../../service/claims/settle.ts';
import { type Ending, isOfTrial, type Sleep, sessionsIn, type Trial } from '../../chapter.ts';
import { answersOf, assess, type RecruiterAnswer } from './answers.ts';
import { type BoardJob, boardOf } from './board.ts';
import { withSleep } from './clock.ts';
import { addSlot, isOversold, releaseSlot, setUp } from './rows.ts';
import type { ClaimSituation } from './situations.ts';
import type { ClaimStrategy } from './strategy.ts';

/** Makes a trial in which the sessions claim by this strategy. */
export function claimTrial(
  strategy: Pick<ClaimStrategy, 'claim' | 'timed' | 'restart' | 'isOneProcess'>,
  situation: ClaimSituation,
  sessions: number,
): Trial {
  const { timePasses, firstRollsBack, firstFails, othersAsk } = situation;
  const count = sessionsIn(situation, sessions);
  // All schedules use the same trial, so each set-up makes new signals.
  let signals = newSignals();
  let wasOversold = false;
  let claim = strategy.claim;
  const recruitersOf = recruitersIn(situation, count);
  const program = (session: number) => (db: Database, sleep: Sleep) => {
    if (isHelper(situation, session)) return help(db, situation, signals);
    const asking = recruitersOf(session).map(
      (recruiterId) => () => settle(claim(db, { jobId: jobOf(situation, session), recruiterId })),
    );
    return withSleep(sleep, async () => {
      if (othersAsk && session > count) return askInTurn(asking);
      if (situation.raisesAndClaims && session === 2) await addSlot(db, jobOf(situation, session));
      return askAll(situation, asking, signals);
    });
  };
  const trial: Trial = {
    setUp(admin) {
      // New servers remember nothing of the earlier schedule, and no earlier claim waits in their
      // memory.
      claim = strategy.restart?.() ?? strategy.claim;
      signals = newSignals();
      wasOversold = false;
      return setUp(admin, situation);
    },
    async onCommit(admin) {
      wasOversold ||= await isOversold(admin, situation);
    },
    sessions: Array.from({ length: count }, (_, index) => program(index + 1)),
    areIdentical: !(
      firstRollsBack ||
      firstFails ||
      hasHelper(situation) ||
      situation.raisesAndClaims ||
      situation.hasTwoJobs ||
      situation.hasLargeIds
    ),
    judge: (admin, endings, last) => {
      const answers = answersIn(situation, last ? [...endings, last] : endings, recruitersOf);
      const alone = othersAsk ? recruitersOf(count + 1) : [];
      const { hasFailed } = signals;
      return assess(admin, situation, { answers, alone, wasOversold, hasFailed });
    },
  };
  if (othersAsk || firstFails) {
    const another = program(count + 1);
    trial.afterwards = () => another;
    trial.afterwardsAtOnce = true;
  }
  if (strategy.isOneProcess) trial.processes = trial.sessions.map(() => 1);
  if (strategy.timed && timePasses) trial.timePasses = true;
  if (firstFails) trial.fails = 1;
  if (firstRollsBack) trial.rollsBack = { session: 1, table: 'job_claims' };
  return trial;
}

/** What the sessions of a schedule tell each other. */
interface Signals {
  /** Session 1 has an answer. */
  answered: Signal;
  /** The helper has changed the job. */
  changed: Signal;
  /** Whether the first ask of session 1 had no sure answer. */
  hasFailed: boolean;
}

interface Signal {
  given: Promise<void>;
  give(): void;
}

const newSignals = (): Signals => ({
  answered: newSignal(),
  changed: newSignal(),
  hasFailed: false,
});

function newSignal(): Signal {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

const hasHelper = ({ releases, raises, takesBack }: ClaimSituation): boolean =>
  releases || raises || takesBack || false;

/** Whether the session claims nothing, and changes the job for the others. */
const isHelper = (situation: ClaimSituation, session: number): boolean =>
  hasHelper(situation) && session === 2;

async function help(db: Database, situation: ClaimSituation, signals: Signals) {
  const { claimed, askers } = boardOf(situation);
  const [{ id, holders }] = claimed;
  if (situation.takesBack) await signals.answered.given;
  const released = situation.takesBack ? askers[0] : holders[0];
  try {
    return await (situation.raises ? addSlot(db, id) : releaseSlot(db, id, released as bigint));
  } finally {
    signals.changed.give();
  }
}

/** Returns the job that a session claims. */
function jobOf(situation: ClaimSituation, session: number): bigint {
  const { claimed } = boardOf(situation);
  return (claimed[(session - 1) % claimed.length] as BoardJob).id;
}

/**
 * Returns the recruiters of a session. Session 1 is the first asker of the board, and so on. A
 * session that is a server has two recruiters. The program afterwards has two if `othersAsk` is set.
 */
const recruitersIn =
  (situation: ClaimSituation, count: number) =>
  (session: number): readonly bigint[] => {
    const { askers } = boardOf(situation);
    if (isHelper(situation, session)) return [];
    if (situation.onServers) return askers.slice(2 * session - 2, 2 * session);
    if (situation.othersAsk && session > count) return askers.slice(count, count + 2);
    return situation.sameRecruiter ? askers.slice(0, 1) : askers.slice(session - 1, session);
  };

type Ask = () => Promise<Outcome>;

/**
 * Returns the outcomes of a session's recruiters. If there is only one outcome, returns the outcome
 * without a list.
 */
async function askAll(situation: ClaimSituation, asking: Ask[], signals: Signals) {
  const outcomes = (
    await Promise.all(asking.map((ask) => askAsOften(situation, ask, signals)))
  ).flat();
  return outcomes.length === 1 ? outcomes[0] : outcomes;
}

/** Returns the outcomes of the recruiters who ask after the end of all sessions. */
async function askInTurn(asking: Ask[]) {
  const outcomes: Outcome[] = [];
  for (const ask of asking) outcomes.push(await ask());
  return outcomes;
}

/** Asks, and asks again if the situation says so. Returns the outcomes that count. */
async function askAsOften(
  situation: ClaimSituation,
  ask: Ask,
  signals: Signals,
): Promise<Outcome | Outcome[]> {
  const { answered, changed } = signals;
  const { asksAgain, firstFails, onServers, takesBack } = situation;
  const askOnceMore = () => {
    signals.hasFailed = true;
    return ask();
  };
  const again = (error: unknown) => (isOfTrial(error) ? askOnceMore() : Promise.reject(error));
  const isAgain = asksAgain || firstFails;
  const outcome = await (isAgain ? ask().catch(again) : ask()).finally(answered.give);
  if (firstFails && (outcome.kind === 'busy' || outcome.kind === 'unknown')) return askOnceMore();
  if (takesBack) {
    await changed.given;
    return [outcome, await ask()];
  }
  if (outcome.kind !== 'full' && outcome.kind !== 'busy') return outcome;
  if (hasHelper(situation)) {
    await changed.given;
    return ask();
  }
  return onServers && outcome.kind === 'full' ? ask() : outcome;
}

/** Returns the answers to all recruiters. Reads them from the ends of the sessions. */
const answersIn = (
  situation: ClaimSituation,
  endings: Ending[],
  recruitersOf: (session: number) => readonly bigint[],
): RecruiterAnswer[] =>
  endings.flatMap((ending, index) => {
    const session = index + 1;
    const job = jobOf(situation, session);
    const [first = NO_ANSWER, ...further] = answersOf(ending);
    const told = [first, ...further];
    const recruiters = recruitersOf(session);
    const asked = situation.takesBack ? [...recruiters, ...recruiters] : recruiters;
    return asked.map((recruiter, at) => ({
      ...{ job, recruiter },
      ...(told[at] ?? first),
    }));
  });

const NO_ANSWER = { kind: undefined, value: undefined };
