import { counterexampleOf, type Played } from '../../explorer/explore.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import { type Chapter, engineFaults, type Situation } from '../chapter.ts';
import { type Addressed, findChapter, findSituation, findStrategy } from '../chapters/index.ts';
import { type PlayedOrders, playOrders } from '../explorations/play-orders.ts';
import {
  type AttemptResult,
  attemptStrategy,
  type Judged,
  type LineOf,
  type Listener,
} from '../lessons/attempt-strategy.ts';
import type { Exercise, ExerciseOf } from '../lessons/exercise.ts';
import { Mistake } from '../sandbox/statements.ts';
import { runnerOf } from './run-script.ts';
import { readScript, type Script } from './script.ts';

/** The result of a script, with the map of all orders of one situation. */
export type ScriptResult = AttemptResult & { map: PlayedOrders | null };

/** The number of sessions in a situation that does not fix the number. */
export const SESSIONS = 2;

/** A script as the strategy of a lesson. */
export interface OwnScript extends Addressed {
  script: Script;
}

/**
 * Makes a strategy of a student's script for this exercise. Throws a `Mistake` if the script may not
 * run.
 */
export function scriptFor(exercise: Exercise, text: string): OwnScript {
  const chapter = chapterOf(exercise);
  if (!chapter.sql) throw new Error(`the chapter ${chapter.name} has no scripts`);
  const script = readScript(text, chapter.sql);
  return { chapter, script, strategy: chapter.sql.strategyOf(NAME, runnerOf(script)) };
}

/** The names and the commands of the scripts for an exercise, with their words. */
export function rulesOf(exercise: Exercise) {
  const chapter = chapterOf(exercise);
  const { names = {}, commands = {}, answer = '' } = chapter.sql ?? {};
  const strategy = chapter.sql?.strategyOf(NAME, () => Promise.reject(new Error('not to run')));
  const situations = strategy ? chapter.situationsOf(strategy) : [];
  return {
    ...{ chapter: chapter.name, names, commands, answer },
    situations: situations.map(({ name, idea, sessions = SESSIONS }) => ({ name, idea, sessions })),
  };
}

const NAME = 'your-sql';
const HANG = engineFaults.hang.name;
/** The maximum number of schedules in a situation that has no maximum of its own. */
const MOST_SCHEDULES = 500;

function chapterOf(exercise: Exercise): Chapter {
  const found =
    exercise.kind === 'schedule' ? findStrategy(exercise.strategy) : findChapter(exercise.chapter);
  if (typeof found === 'string') throw new Error(found);
  return 'chapter' in found ? found.chapter : found;
}

/** Tries a script as the solution of an exercise, as the coach tries a file. */
export async function attemptScript(
  stage: Stage,
  exercise: Exercise,
  own: OwnScript,
  listener: Listener,
): Promise<ScriptResult> {
  if (exercise.kind === 'schedule') return attemptTransaction(stage, exercise, own);
  const bounded = { ...listener, usualMost: MOST_SCHEDULES };
  const result = await attemptStrategy(stage, own, exercise, lineOf, bounded);
  // Most orders of a script that hangs would hang too, and each hang takes seconds.
  if (result.kind === 'unusable' || result.result.startsWith(HANG)) return { ...result, map: null };
  const [first] = own.chapter.situationsOf(own.strategy);
  const situation = situationOf(own, result.situation ?? first.name);
  const { map } = await playOrders(stage, own, situation);
  return { ...result, map };
}

function situationOf(own: Addressed, name: string): Situation {
  const situation = findSituation(own, name);
  if (typeof situation === 'string') throw new Error(situation);
  return situation;
}

const lineOf: LineOf = ({ endings }: Played) => {
  for (const ending of endings)
    if ('error' in ending && ending.error instanceof Mistake) return ending.error.message;
  return undefined;
};

/**
 * Tries a script in the lesson about transactions. The script must be one transaction. It need not
 * hold, because the lesson shows that a transaction does not help.
 */
async function attemptTransaction(
  stage: Stage,
  { situation: name, fault }: ExerciseOf<'schedule'>,
  own: OwnScript,
): Promise<ScriptResult> {
  const { faults } = own.chapter;
  const { map, found } = await playOrders(stage, own, situationOf(own, name));
  const first = counterexampleOf(found, faults);
  const line = first && lineOf(first);
  if (line !== undefined) return { kind: 'unusable', line, map: null };
  const all = `${map.isComplete ? 'all' : 'the first'} ${map.orders.length} orders`;
  const shown = first ? tell(first) : null;
  const judged = (kind: Judged['kind'], result: string, says: string): ScriptResult => ({
    ...{ kind, result, says, shown, situation: name, map },
  });
  if (!first) return judged('solved', 'holds', `It holds in ${all}.`);
  const worst = faults.find((each) => first.faults.includes(each.name)) ?? faults[0];
  const many = `Of ${all}, ${found.faults[worst.name]} ${worst.inWords}.`;
  if (worst.name !== fault) return judged('falls', `${worst.name} in ${name}`, many);
  if (isOneTransaction(own.script))
    return judged('solved', fault, `It is one transaction now. ${many}`);
  return judged('falls', 'no transaction', `It is not one transaction yet. ${many}`);
}

/** Whether the script begins with BEGIN, ends with COMMIT, and has no other COMMIT or ROLLBACK. */
function isOneTransaction({ steps }: Script): boolean {
  const texts = steps.map((step) => (step.kind === 'statement' ? step.text : ''));
  const ends = texts.filter((text) => text === 'commit' || text === 'rollback');
  return /^(begin|start)\b/i.test(texts[0] ?? '') && texts.at(-1) === 'commit' && ends.length === 1;
}
