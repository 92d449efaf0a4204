import { type Exploration, explore, hasAny, inWords, type Played } from '../../explorer/explore.ts';
import { playFree } from '../../explorer/free.ts';
import { lanesOf } from '../../explorer/lanes.ts';
import { isOneAfterAnother } from '../../explorer/serial.ts';
import type { Stage } from '../../explorer/stage.ts';
import { Hang } from '../../explorer/stillness.ts';
import { tell } from '../../explorer/tell.ts';
import { takesSessionLock } from '../../explorer/words.ts';
import {
  type Explorable,
  engineFaults,
  type Fault,
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
  /** Called once, with the first schedule that has a fault. The judge then goes on to count. */
  onFirst?: (check: Check) => void;
  /** Whether the judgement ends with the first schedule that has a fault. */
  endsAtFirst?: boolean;
}

/** Judges a strategy in all its situations. All stages play schedules at the same time. */
export async function judge(
  [stage, ...others]: readonly [Stage, ...Stage[]],
  judged: Judged,
  options: JudgeOptions,
): Promise<Judgement> {
  const { chapter, strategy } = judged;
  const { onStep, explain, onFirst, endsAtFirst = false } = options;
  const { crowd = () => crowdCheck(stage, judged, onStep) } = options;
  const faults = chapter.faults.filter((fault) => isChecked(fault, strategy));
  const checks: Check[] = [];
  const unchecked = chapter.faults.flatMap((fault) =>
    fault.option && !isChecked(fault, strategy)
      ? `${fault.fact} (${fault.option.code} in the strategy asks for this check)`
      : [],
  );
  let error: string | null = null;
  let usesSessionLock = false;
  let isTold = false;
  const tellFirst = (situation: Situation, played: Played, number: number) => {
    const fault = faults.find(({ name }) => played.faults.includes(name));
    if (!fault || fault.name === HANG || isTold) return;
    isTold = true;
    onFirst?.(broken(situation, fault, played, `schedule ${number}`));
  };
  const end = (verdict: Judgement['verdict'], checks: Check[]) => ({
    ...{ strategy: strategy.name, verdict, checks, error },
    unchecked: usesSessionLock ? [...unchecked, ON_A_POOL] : unchecked,
  });
  for (const situation of chapter.situationsOf(strategy)) {
    const sessions = sessionsIn(situation, SESSIONS);
    const trial = () => chapter.trial(strategy, situation, sessions);
    const found = await explore(stage, trial(), {
      beside: lanesOf(others, trial),
      most: situation.most,
      endsAfter: hasAny(endsAtFirst ? faults.map(({ name }) => name) : []),
      onStep: (schedule) => onStep(`${situation.name}, schedule ${schedule}`),
      onPlayed: (played, number) => {
        usesSessionLock ||= hasSessionLock(played);
        tellFirst(situation, played, number);
      },
    });
    const all = faults.map((fault) => checkOf(situation, fault, found));
    const fallen = all.filter(({ holds }) => !holds);
    const failed = found.counterexamples[engineFaults.error.name];
    error ??= (failed && explain(failed)) ?? null;
    const hangs = all.filter(({ fault, holds }) => fault === HANG && !holds);
    const isSure = found.counterexamples[HANG]?.isForKeptLock;
    if (hangs.length > 0 && !isSure) return end('hangs', hangs);
    // Most other schedules would hang too, and each hang takes seconds. So we play no more
    // schedules.
    if (isSure || (endsAtFirst && fallen.length > 0)) return end('falls', [...checks, ...fallen]);
    checks.push(...all);
  }
  checks.push(await crowd());
  return end(checks.every(({ holds }) => holds) ? 'holds' : 'falls', checks);
}

const hasSessionLock = ({ entries }: Played): boolean =>
  entries.some(({ acts }) => acts.some(({ step }) => takesSessionLock(step.text)));

/**
 * The judge cannot check a pool, since a session of the lab keeps one connection for its whole
 * life.
 */
const ON_A_POOL =
  'a session lock keeps working on a pool of connections (its unlock may reach another connection; ' +
  'pg_advisory_xact_lock in a transaction is safe)';

function checkOf(situation: Situation, fault: Fault, found: Exploration): Check {
  const played = found.counterexamples[fault.name];
  const detail = detailOf(fault.name, played, found);
  if (played) return broken(situation, fault, played, detail);
  return { ...ruleOf(situation, fault), holds: true, detail, counterexample: null };
}

const ruleOf = ({ name, idea }: Situation, fault: Fault) => ({
  check: `${idea}: ${fault.fact}`,
  fault: fault.name,
  situation: name,
});

const broken = (situation: Situation, fault: Fault, played: Played, detail: string): Check => ({
  ...ruleOf(situation, fault),
  holds: false,
  detail,
  counterexample: shown(played),
});

function detailOf(fault: string, played: Played | undefined, found: Exploration) {
  const { faults } = found;
  const schedules = `${inWords(found)} schedules`;
  if (!played) return schedules;
  const isNoRace = isOneAfterAnother(played.schedule);
  if (fault !== HANG)
    return `false in ${faults[fault]} of ${schedules}${isNoRace ? ', even one after the other' : ''}`;
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
