import { type Exploration, explore, inWords, type Played } from '../../explorer/explore.ts';
import { playFree } from '../../explorer/free.ts';
import type { Stage } from '../../explorer/stage.ts';
import { Hang } from '../../explorer/stillness.ts';
import { tell } from '../../explorer/tell.ts';
import { SESSION_LOCK } from '../../explorer/words.ts';
import {
  type Explorable,
  engineFaults,
  isChecked,
  type Situation,
  type Strategy,
  sessionsIn,
} from '../chapter.ts';

/** The strategy that is judged, and the chapter whose situations try the strategy. */
export interface Judged {
  chapter: Explorable;
  strategy: Strategy;
}

/** The search for one fault in one situation, or for all faults in a crowd. */
export interface Check {
  /** The fact that should hold. */
  check: string;
  /** The name of the fault that makes the fact false. */
  fault: string;
  /** The name of the situation. Null for the crowd. */
  situation: string | null;
  holds: boolean;
  /** How many schedules or rounds were played, and in how many of them the fact is false. */
  detail: string;
  /** A schedule in which the fact is false. Null if there is none. */
  counterexample: { schedule: string; transcript: string } | null;
}

export interface Judgement {
  strategy: string;
  verdict: 'holds' | 'falls' | 'hangs';
  checks: Check[];
  /** The facts that nobody checked, and how to ask for the check. */
  unchecked: string[];
  /** An error of the judged code in one line, such as `mine.ts:7: TypeError: …`. */
  error: string | null;
}

export const SESSIONS = 2;
export const CROWD = { sessions: 8, rounds: 10 };
const HANG = engineFaults.hang.name;

export interface JudgeOptions {
  /** Called before each step, so that the caller knows which step never ends. */
  onStep: (where: string) => void;
  /** The line about an error of the judged code. Undefined if no session ended in such an error. */
  explain: (played: Played) => string | undefined;
  /** Runs many sessions at full speed. By default uses the stage. */
  crowd?: () => Promise<Check>;
}

/** Judges a strategy in all its situations. */
export async function judge(
  stage: Stage,
  judged: Judged,
  { onStep, explain, crowd = () => crowdCheck(stage, judged, onStep) }: JudgeOptions,
): Promise<Judgement> {
  const { chapter, strategy } = judged;
  const checks: Check[] = [];
  const unchecked = chapter.faults.flatMap((fault) =>
    fault.option && !isChecked(fault, strategy)
      ? `${fault.fact} (${fault.option.code} in the strategy asks for this check)`
      : [],
  );
  let error: string | null = null;
  let takesSessionLock = false;
  const end = (verdict: Judgement['verdict'], checks: Check[]) => ({
    ...{ strategy: strategy.name, verdict, checks, error },
    unchecked: takesSessionLock ? [...unchecked, ON_A_POOL] : unchecked,
  });
  for (const situation of chapter.situationsOf(strategy)) {
    const sessions = sessionsIn(situation, SESSIONS);
    const found = await explore(stage, chapter.trial(strategy, situation, sessions), {
      most: situation.most,
      onStep: (schedule) => onStep(`${situation.name}, schedule ${schedule}`),
      onPlayed: (played) => {
        takesSessionLock ||= hasSessionLock(played);
      },
    });
    const all = checksOf(judged, situation, found);
    const failed = found.counterexamples[engineFaults.error.name];
    error ??= (failed && explain(failed)) ?? null;
    const hangs = all.filter(({ fault, holds }) => fault === HANG && !holds);
    const isSure = found.counterexamples[HANG]?.isForKeptLock;
    if (hangs.length > 0 && !isSure) return end('hangs', hangs);
    // Most other schedules would hang too, and each hang takes seconds. So we play no more
    // schedules.
    if (isSure) return end('falls', [...checks, ...all.filter(({ holds }) => !holds)]);
    checks.push(...all);
  }
  checks.push(await crowd());
  return end(checks.every(({ holds }) => holds) ? 'holds' : 'falls', checks);
}

const hasSessionLock = ({ entries }: Played): boolean =>
  entries.some(({ acts }) => acts.some(({ step }) => SESSION_LOCK.test(step.text)));

/**
 * The judge cannot check a pool, since a session of the lab keeps one connection for its whole
 * life.
 */
const ON_A_POOL =
  'a session lock keeps working on a pool of connections (its unlock may reach another connection; ' +
  'pg_advisory_xact_lock in a transaction is safe)';

const checksOf = (
  { chapter: { faults }, strategy }: Judged,
  { name: situation, idea }: Situation,
  found: Exploration,
): Check[] =>
  faults
    .filter((fault) => isChecked(fault, strategy))
    .map(({ name, fact }) => {
      const played = found.counterexamples[name];
      return {
        check: `${idea}: ${fact}`,
        fault: name,
        situation,
        holds: played === undefined,
        detail: detailOf(name, played, found),
        counterexample: played ? shown(played) : null,
      };
    });

function detailOf(fault: string, played: Played | undefined, found: Exploration) {
  const { faults } = found;
  const schedules = `${inWords(found)} schedules`;
  if (!played) return schedules;
  if (fault !== HANG) return `false in ${faults[fault]} of ${schedules}`;
  return `${played.summary}, at step ${played.schedule.length}`;
}

const shown = (played: Played) => ({
  schedule: played.schedule.join(','),
  transcript: tell(played).transcript,
});

/** Runs many sessions at full speed, each over its own connection. */
export async function crowdCheck(
  stage: Stage,
  { chapter, strategy }: Judged,
  onStep: (where: string) => void,
): Promise<Check> {
  const counts = new Map<string, number>();
  const add = (fault: string) => counts.set(fault, (counts.get(fault) ?? 0) + 1);
  let hang: Hang | undefined;
  let round = 0;
  while (round < CROWD.rounds && !hang) {
    onStep(`the crowd, round ${++round}`);
    const trial = chapter.trial(strategy, chapter.crowd, CROWD.sessions);
    const played = await playFree(stage, trial).catch((error: unknown) => {
      // A hang is a fault if a session kept a lock. Any other hang is no verdict, unless an earlier
      // round had a fault.
      if (error instanceof Hang && (error.isForKeptLock || counts.size > 0)) return error;
      throw error;
    });
    if (played instanceof Hang) hang = played;
    else {
      for (const fault of played.faults) add(fault);
      if (played.endings.some((ending) => 'error' in ending)) add(engineFaults.error.name);
    }
  }
  if (hang) add(HANG);
  const found = chapter.faults.filter(({ name }) => counts.has(name));
  const inRounds = found.map(({ name }) => `${name} in ${counts.get(name)}`);
  const detail = [`${round} ${round === 1 ? 'round' : 'rounds'}`, ...inRounds].join(', ');
  return {
    check: `${CROWD.sessions} ${chapter.session.many} at full speed: no fault`,
    fault: (found[0] ?? chapter.faults[0]).name,
    situation: null,
    holds: counts.size === 0,
    detail: hang ? `${detail}: ${hang.message}` : detail,
    counterexample: null,
  };
}
