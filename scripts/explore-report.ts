import { counterexampleOf, type Played } from '../src/explorer/explore.ts';
import { tell } from '../src/explorer/tell.ts';
import { type Explorable, type Situation, sayHeldBack } from '../src/lab/chapter.ts';
import { brokePromise } from '../src/lab/race/report.ts';
import { plainTable } from '../src/platform/process/plain-table.ts';
import type { Result } from './explore-all.ts';
import { paint } from './paint.ts';
import { replayCommand } from './replay-command.ts';

export interface Asked {
  chapter: Explorable;
  situation: Situation;
  sessions: number;
  /** Whether the schedules that differ only in the order of commuting steps were left out. */
  leavesOutCommuting?: boolean;
  /** The options that name the strategy. Undefined for the lab's own strategies. */
  source?: readonly string[] | undefined;
  /** Returns a line about an error of the strategy's own code, if there was an error. */
  explain?: ((played: Played) => string | undefined) | undefined;
}

export function asJson(result: Result, { chapter, situation, sessions }: Asked) {
  const { strategy, schedules, isComplete, faults, serializationFailures, milliseconds } = result;
  const { leftOut } = result;
  const played = counterexampleOf(result, chapter.faults);
  return {
    chapter: chapter.name,
    strategy: strategy.name,
    promise: strategy.promise,
    situation: situation.name,
    sessions,
    schedules,
    isComplete,
    ...(leftOut !== undefined && { mirroredLeftOut: leftOut }),
    faults,
    serializationFailures,
    counterexample: played
      ? { schedule: played.schedule.join(','), transcript: tell(played).transcript }
      : null,
    milliseconds,
  };
}

export function describe(results: Result[], asked: Asked): string {
  const { chapter, situation, sessions } = asked;
  const kinds = chapter.faults
    .map(({ name }) => name)
    .filter((name, index) => index === 0 || results.some(({ faults }) => faults[name]));
  const isComplete = results.every((each) => each.isComplete);
  const isHalved = results.some(({ leftOut }) => leftOut !== undefined);
  const head = [
    'strategy',
    'schedules',
    ...(isHalved ? ['left out'] : []),
    ...kinds,
    'serialization',
    'ms',
  ];
  const red = (count = 0) => (count > 0 ? paint('red', String(count)) : String(count));
  const rows = results.map(
    ({ strategy, schedules, isComplete, faults, serializationFailures, milliseconds, leftOut }) => [
      strategy.name,
      isComplete ? schedules : `first ${schedules}`,
      ...(leftOut === undefined ? [] : [leftOut]),
      ...kinds.map((kind) => red(faults[kind])),
      serializationFailures,
      milliseconds,
    ],
  );
  return [
    `Situation ${situation.name}: ${situation.idea}.`,
    `${whichSchedules(isComplete, isHalved)} of ${count(sessions, chapter.session)}, on a real PostgreSQL.${afterwardsOf(chapter)}`,
    '',
    plainTable(
      head,
      rows,
      head.map((_, column) => column).filter((column) => column > 0),
    ),
    '',
    ...results.flatMap((result) => describeCounterexample(result, asked)),
    ...results.flatMap((result) => besidePromise(result, asked)),
    ...(isHalved ? [LEFT_OUT] : []),
    ...(asked.leavesOutCommuting ? [COMMUTING_LEFT_OUT] : []),
    ...(results.some(({ hasHeldBack }) => hasHeldBack)
      ? [`Left out: ${sayHeldBack(chapter)}.`]
      : []),
    isComplete
      ? `Exhaustive for ${count(sessions, sessionWords)} at statement granularity.`
      : 'Not exhaustive: "first" counts the schedules with the fewest switches. --most N plays more.',
  ].join('\n');
}

const afterwardsOf = ({ afterwards }: Explorable) =>
  afterwards ? ` Afterwards ${afterwards}.` : '';

function whichSchedules(isComplete: boolean, isHalved: boolean): string {
  const which = isComplete ? 'Every schedule' : 'The first schedules';
  return isHalved ? `${which}, without mirrored schedules,` : which;
}

const LEFT_OUT =
  'Left out: mirrored schedules. In the mirror of a schedule the two sessions change places, and\n' +
  'the end is the same. So each count is half of the whole.';

const COMMUTING_LEFT_OUT =
  'Left out: schedules that differ from a played schedule only in the order of steps that commute.\n' +
  'Each count is smaller. No kind of fault is missing.';

const sessionWords = { one: 'session', many: 'sessions' };

const count = (number: number, { one, many }: Explorable['session']) =>
  `${number} ${number === 1 ? one : many}`;

/** Names the faults that the promise of a strategy does not cover. Empty if there are none. */
function besidePromise({ strategy, faults }: Result, { chapter }: Asked): string[] {
  const { name, promise } = strategy;
  const pledge = chapter.promises[promise];
  const found = chapter.faults.filter((fault) => faults[fault.name]);
  if (!pledge || found.length === 0 || brokePromise(chapter, { promise, faults })) return [];
  const counted = found.map((fault) => `${faults[fault.name]} ${fault.inWords}`).join(', ');
  return [
    `${name} promised ${pledge.inWords}, and kept the promise. ` +
      paint('red', `It has other faults (schedules: ${counted}).`),
  ];
}

function describeCounterexample(
  result: Result,
  { chapter, situation, source, explain }: Asked,
): string[] {
  const played = counterexampleOf(result, chapter.faults);
  if (!played) return [];
  const { strategy } = result;
  const line = explain?.(played);
  return [
    paint('bold', strategy.name),
    tell(played).transcript,
    ...(line ? [paint('red', line)] : []),
    `replay: ${replayCommand({ chapter, strategy }, situation, played.schedule.join(','), source)}`,
    '',
  ];
}
