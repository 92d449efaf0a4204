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
  type Strategy,
  sayHeldBack,
} from '../chapter.ts';
import { restOf, type Search, sayLarger, searchesOf } from './searches.ts';
import { serverCodeIn } from './server-code.ts';

/** The strategy that is judged, and the chapter whose situations try the strategy. */
export interface Judged {
  chapter: Explorable;
  strategy: Strategy;
}

/** The search for one fault in one situation, or for all faults in a crowd. */
export interface Check {
  /** The situation or the crowd in words, such as `one slot is left`. */
  where: string;
  /** The fact that should hold, and where. */
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
  /** The orders that were not played, such as `more than three recruiters`. */
  unplayed: string[];
  /** Remarks on what is wrong and still no fault, such as a wrong number in an answer. */
  remarks: string[];
  /** An error of the judged code, or a line about it, such as `mine.ts:7: TypeError: …`. */
  error: string | null;
}

export const CROWD = { sessions: 8, rounds: 10 };
const HANG = engineFaults.hang.name;

export interface JudgeOptions {
  /** Called before each step, so that the caller knows which step never ends. */
  onStep: (where: string) => void;
  /** The line about an error of the judged code. Undefined if no session ended in such an error. */
  explain: (played: Played) => string | undefined;
  /** The line about code that does not do what it seems to do. Undefined if there is none. */
  aboutCode?: () => string | undefined;
  /** Runs many sessions at full speed. By default uses the stage. */
  crowd?: () => Promise<Check>;
  /**
   * Whether the strategy is a program with connections of its own. We do not see all its settings,
   * and its tables may come with views that call any function. So no orders are left out.
   */
  isProgram?: boolean;
  /** Called once, with the first schedule that has a fault. The judge then plays on. */
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
  const leavesOutCommuting = !options.isProgram;
  const checks: Check[] = [];
  const unchecked = chapter.faults.flatMap((fault) =>
    fault.option && !isChecked(fault, strategy)
      ? `${fault.fact} (${fault.option.code} in the strategy asks for this check)`
      : [],
  );
  const played: Search[] = [];
  const unplayed: string[] = [];
  const remarks = new Set<string>();
  let error: string | null = null;
  let usesSessionLock = false;
  const texts = new Set<string>();
  let serverCode: string[] = [];
  let hasHeldBack = false;
  let isTold = false;
  const tellFirst = (search: Search, schedule: Played, number: number) => {
    const fault = faults.find(({ name }) => schedule.faults.includes(name));
    if (!fault || fault.name === HANG || isTold) return;
    isTold = true;
    onFirst?.(broken(search, fault, schedule, `schedule ${number}`));
  };
  const end = (verdict: Judgement['verdict'], checks: Check[], isEarly = false) => ({
    ...{ strategy: strategy.name, verdict, checks, error, remarks: [...remarks] },
    unchecked: usesSessionLock ? [...unchecked, ON_A_POOL] : unchecked,
    unplayed: [
      ...unplayed,
      ...(serverCode.length > 0 ? [inServer(serverCode)] : []),
      ...(hasHeldBack ? [sayHeldBack(chapter)] : []),
      ...(isEarly ? [LATER] : []),
      ...(leavesOutCommuting ? [ALIKE] : []),
      sayLarger(chapter, played),
    ],
  });
  for (const search of searchesOf(chapter, strategy)) {
    const { situation, sessions, most, isExtra, prefix } = search;
    // If two sessions break a rule, three sessions would not change the verdict.
    if (isExtra && checks.some(({ holds }) => !holds)) break;
    played.push(search);
    const trial = () => chapter.trial(strategy, situation, sessions);
    const found = await explore(stage, trial(), {
      beside: lanesOf(others, trial),
      most,
      endsAfter: hasAny(endsAtFirst ? faults.map(({ name }) => name) : []),
      endsAtDivergence: isExtra,
      leavesOutCommuting,
      onStep: (schedule) => onStep(`${prefix}${situation.name}, schedule ${schedule}`),
      onPlayed: (schedule, number) => {
        usesSessionLock ||= hasStatement(schedule, takesSessionLock);
        for (const { acts } of schedule.entries) for (const { step } of acts) texts.add(step.text);
        for (const remark of schedule.remarks) remarks.add(remark);
        tellFirst(search, schedule, number);
      },
    });
    hasHeldBack ||= found.hasHeldBack;
    serverCode = await serverCodeIn(stage, texts);
    const all = faults.map((fault) => checkOf(search, fault, found));
    const fallen = all.filter(({ holds }) => !holds);
    const failed = found.counterexamples[engineFaults.error.name];
    error ??= (failed && explain(failed)) ?? options.aboutCode?.() ?? null;
    const hangs = all.filter(({ fault, holds }) => fault === HANG && !holds);
    const isSure = found.counterexamples[HANG]?.isForKeptLock;
    if (hangs.length > 0 && !isSure) return end('hangs', hangs, true);
    // Most other schedules would hang too, and each hang takes seconds. So we play no more
    // schedules.
    if (isSure || (endsAtFirst && fallen.length > 0))
      return end('falls', [...checks, ...fallen], true);
    checks.push(...(isExtra ? inShort(search, fallen, found) : all));
    unplayed.push(...restOf(search, found));
  }
  checks.push(await crowd());
  return end(checks.every(({ holds }) => holds) ? 'holds' : 'falls', checks);
}

/** Returns the checks of an extra search. If all hold, they are one check. */
function inShort({ prefix, situation }: Search, fallen: Check[], found: Exploration): Check[] {
  if (fallen.length > 0) return fallen;
  const where = `${prefix}${situation.idea}`;
  const rule = { where, check: `${where}: no fault`, fault: HANG, situation: situation.name };
  return [{ ...rule, holds: true, detail: schedulesOf(found), counterexample: null }];
}

const hasStatement = ({ entries }: Played, isKind: (text: string) => boolean): boolean =>
  entries.some(({ acts }) => acts.some(({ step }) => isKind(step.text)));

/** Both orders of such steps have the same faults. */
const ALIKE =
  'orders that differ from a played order only in steps that commute, such as two reads';

/** The judgement ended at a hang, or at the first schedule with a fault. */
const LATER = 'the situations after the last one above, and the sessions at full speed';

const inServer = (code: readonly string[]): string =>
  `orders inside ${code.join(' and ')}: the server runs this code as one step`;

/**
 * The judge cannot check a pool, since a session of the lab keeps one connection for its whole
 * life.
 */
const ON_A_POOL =
  'a session lock keeps working on a pool of connections (its unlock may reach another connection; ' +
  'pg_advisory_xact_lock in a transaction is safe)';

function checkOf(search: Search, fault: Fault, found: Exploration): Check {
  const played = found.counterexamples[fault.name];
  const detail = detailOf(fault.name, played, found);
  if (played) return broken(search, fault, played, detail);
  return { ...ruleOf(search, fault), holds: true, detail, counterexample: null };
}

function ruleOf({ prefix, situation }: Search, fault: Fault) {
  const where = `${prefix}${situation.idea}`;
  const check = `${where}: ${fault.fact}`;
  return { where, check, fault: fault.name, situation: situation.name };
}

const broken = (search: Search, fault: Fault, played: Played, detail: string): Check => ({
  ...ruleOf(search, fault),
  holds: false,
  detail,
  counterexample: shown(played),
});

const schedulesOf = (found: Exploration): string => `${inWords(found)} schedules`;

function detailOf(fault: string, played: Played | undefined, found: Exploration) {
  const { faults } = found;
  const schedules = schedulesOf(found);
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
  const where = `${CROWD.sessions} ${chapter.session.many} at full speed`;
  return {
    where,
    check: `${where}: no fault`,
    fault: (found[0] ?? chapter.faults[0]).name,
    situation: null,
    holds: counts.size === 0,
    detail: hang ? `${detail}: ${hang.message}` : detail,
    counterexample: null,
  };
}
