import { Execution, type FirstSteps } from '../../explorer/execution.ts';
import type { Stage } from '../../explorer/stage.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { type Situation, sessionsIn } from '../chapter.ts';
import { type Addressed, addressOf } from '../chapters/index.ts';
import { asHang, look, nextChoices, type PlayState, rememberedSteps } from './play.ts';

/** A state, and the state after each choice that was played there. */
export interface PlayTree {
  state: PlayState;
  next: Map<string, PlayTree>;
}

/** One strategy in one situation. */
export interface PlayedAll extends Addressed {
  situation: Situation;
}

/** The choices of the scheduler from the beginning. */
type Schedule = readonly string[];

export interface PlayAllOptions {
  /**
   * The schedules to play. After the end of such a schedule, the first choice follows each time. By
   * default all schedules are played.
   */
  only?: readonly Schedule[] | undefined;
  /** Called after each schedule. */
  onSchedule?: () => void;
  stop?: AbortSignal;
}

/** The number of sessions, unless a situation has another number. */
export const SESSIONS = 2;

/**
 * Plays schedules to their end, and reads the state after each step. A person who plays the same
 * steps gets the same states. There are two sessions, unless the situation has another number.
 * Throws a `PlainError` if the same steps were not possible a second time.
 */
export async function playAll(
  stage: Stage,
  asked: PlayedAll,
  { only, onSchedule, stop }: PlayAllOptions = {},
): Promise<PlayTree> {
  const sessions = sessionsIn(asked.situation, SESSIONS);
  const first = await rememberedSteps(stage, asked, asked.situation, sessions);
  const above: PlayTree['next'] = new Map();
  const untried: Schedule[] = [[]];
  for (let schedule = untried.shift(); schedule; schedule = untried.shift()) {
    stop?.throwIfAborted();
    const found = await playOne({ stage, asked, sessions, first, above, only }, schedule);
    untried.unshift(...found);
    onSchedule?.();
  }
  return above.get('') as PlayTree;
}

interface Playing {
  stage: Stage;
  asked: PlayedAll;
  sessions: number;
  first: FirstSteps;
  /** Contains only the beginning, under the empty choice. */
  above: PlayTree['next'];
  only: PlayAllOptions['only'];
}

/**
 * Plays the steps of `begun`, and then the first choice until the end. Returns the schedules that
 * part from this schedule at its new states.
 */
async function playOne(playing: Playing, begun: Schedule): Promise<Schedule[]> {
  const { stage, asked, sessions, first, only } = playing;
  const trial = asked.chapter.trial(asked.strategy, asked.situation, sessions);
  const execution = await Execution.start(stage, trial, { first });
  const others: Schedule[] = [];
  let schedule = begun;
  let siblings = playing.above;
  let choice = '';
  for (let at = 0; ; at++) {
    const choices = await nextChoices(execution).catch(asHang);
    const hang = Array.isArray(choices) ? undefined : choices;
    let tree = siblings.get(choice);
    if (!tree) {
      const state = await look(stage, asked, { trial, execution, first, hang });
      tree = { state, next: new Map() };
      siblings.set(choice, tree);
      const [way = schedule, ...further] = waysFrom(schedule, state.choices, only);
      schedule = way;
      others.push(...further);
    }
    const next = schedule[at];
    if (next === undefined) return others;
    if (!execution.choices().includes(next)) throw ranDifferently(asked, schedule.slice(0, at + 1));
    await execution.step(next);
    [siblings, choice] = [tree.next, next];
  }
}

/** Returns the schedules to play that begin with this schedule, up to their next choice. */
function waysFrom(
  schedule: Schedule,
  choices: readonly string[],
  only: PlayAllOptions['only'],
): Schedule[] {
  const ways = choices.map((choice) => [...schedule, choice]);
  const wanted = ways.filter((way) => only?.some((each) => beginsWith(each, way)) ?? true);
  return wanted.length > 0 ? wanted : ways.slice(0, 1);
}

const beginsWith = (schedule: Schedule, beginning: Schedule): boolean =>
  beginning.every((choice, index) => schedule[index] === choice);

const ranDifferently = ({ situation, ...addressed }: PlayedAll, schedule: Schedule) =>
  new PlainError(
    `${addressOf(addressed)} in ${situation.name} ran differently at the schedule ${schedule}.`,
  );
