import type { TurnsLimits } from '../../platform/waiting/turns.ts';
import { engineFaults } from '../chapter.ts';
import { findSituation } from '../chapters/index.ts';
import { CROWD } from '../judge/judge.ts';
import type { Judged } from '../lessons/attempt-strategy.ts';
import type { Lesson } from '../lessons/lesson.ts';
import type { Listener } from '../listener.ts';
import { type PlayState, play } from '../play/play.ts';
import { progressOf, type Run, Runs, type RunsDeps, type ScheduleNews } from '../runs.ts';
import type { Boxes } from '../sandbox/box.ts';
import { onServer } from '../sandbox/on-server.ts';
import { explained } from '../sandbox/run.ts';
import { explain } from '../sandbox/sandbox.ts';
import { Mistake } from '../sandbox/statements.ts';
import {
  attemptScript,
  type OwnScript,
  type ScriptResult,
  SESSIONS,
  scriptFor,
} from './attempt-script.ts';

const HANG = engineFaults.hang.name;

export interface ScriptDeps extends RunsDeps {
  boxes: Boxes;
  /** Called with each result of a trial, for the caller who asked. */
  onResult?: (caller: string, asked: AskedScript, result: ScriptResult) => void;
}

/** The events of a trial of a script. `first` is the first counterexample. */
export interface AttemptNews extends ScheduleNews<ScriptResult> {
  first: Judged;
}

/** A script for a lesson. */
export interface AskedScript {
  lesson: Lesson;
  text: string;
}

export interface AskedPlay extends AskedScript {
  situation: string;
  schedule: string[];
}

/**
 * A right script keeps one processor busy for up to half a minute. A wrong script has its result in a
 * few seconds.
 */
const TWO_AT_ONCE: TurnsLimits = { places: 2, longest: 20 };

/** The crowd has eight sessions, and one more for the program that runs afterwards. */
const SESSIONS_OF_ATTEMPT = CROWD.sessions + 1;
/** A situation may have three sessions, and a program runs afterwards. */
const SESSIONS_OF_PLAY = 4;

/** Tries and plays the scripts of all students. Callers with the same script share one run. */
export class ScriptRuns {
  readonly #boxes: Boxes;
  readonly #onResult: ScriptDeps['onResult'];
  readonly #attempts: Runs<AttemptNews>;
  readonly #plays: Runs<ScheduleNews<PlayState>>;

  constructor(deps: ScriptDeps) {
    const kind = {
      failure: 'a script of a lesson could not be tried',
      explain: (error: unknown) => explain(error, deps.log),
    };
    const turns = deps.turns ?? TWO_AT_ONCE;
    this.#boxes = deps.boxes;
    this.#onResult = deps.onResult;
    this.#attempts = new Runs({ ...deps, turns }, { ...kind, isLasting: isSure });
    this.#plays = new Runs({ ...deps, turns }, { ...kind, isLasting: isSurePlay });
    // When the service stops, the servers of the runs end while the last requests are answered.
    deps.stop.addEventListener('abort', () => void deps.boxes.close(), { once: true });
  }

  /** Prepares a server in the background. */
  warmUp() {
    this.#boxes.warmUp();
  }

  /**
   * Returns a listener of the trial of a script, or `full` if too many listen or wait. Throws a
   * `Mistake` if the script may not run.
   */
  attempt(asked: AskedScript, caller: string): Listener | 'full' {
    const { lesson, text } = asked;
    const own = scriptFor(lesson.exercise, text);
    const key = JSON.stringify([lesson.number, own.script]);
    const work = (run: Run<AttemptNews>) => this.#attempt(lesson, own, run);
    let hasFallen = false;
    // The first counterexample of a wrong script already is a result.
    const onDone = (result: ScriptResult) => {
      if (!hasFallen) this.#onResult?.(caller, asked, result);
      hasFallen = result.kind === 'falls';
    };
    return this.#attempts.listen({ key, caller, work, onDone });
  }

  /** Returns a listener of a play of one schedule. Otherwise like `attempt`. */
  play({ lesson, text, situation: name, schedule }: AskedPlay, caller: string): Listener | 'full' {
    const own = scriptFor(lesson.exercise, text);
    const situation = findSituation(own, name);
    if (typeof situation === 'string') throw new Mistake(situation);
    const key = JSON.stringify([lesson.number, own.script, name, schedule]);
    const work = ({ stop }: Run<ScheduleNews<PlayState>>) =>
      this.#onServer(own, SESSIONS_OF_PLAY, stop, async (stage) => {
        const state = await play(stage, { ...own, situation, sessions: SESSIONS, schedule });
        if (typeof state === 'string') throw new Mistake(state);
        return state;
      });
    return this.#plays.listen({ key, caller, work });
  }

  #attempt(lesson: Lesson, own: OwnScript, run: Run<AttemptNews>): Promise<ScriptResult> {
    const onSchedule = progressOf(run, null);
    let hasFallen = false;
    const listener = {
      onStep: (where: string) => {
        const schedules = Number.parseInt(where, 10);
        // A later listener must still get the first counterexample, and progress would replace it.
        if (!hasFallen && schedules > 0) onSchedule(schedules);
      },
      onFall: (fall: Judged) => {
        hasFallen = true;
        run.tell('first', fall);
        run.done({ ...fall, map: null });
      },
    };
    return this.#onServer(own, SESSIONS_OF_ATTEMPT, run.stop, (stage) =>
      attemptScript(stage, lesson.exercise, own, listener),
    );
  }

  #onServer<T>(
    { chapter }: OwnScript,
    sessions: number,
    stop: AbortSignal,
    work: Parameters<typeof onServer<T>>[2],
  ): Promise<T> {
    const schema = `lab_${chapter.name}`;
    return onServer(this.#boxes, { sessions, schema, stop, explain: explained }, work);
  }
}

/** A crowd and a hang may end differently the next time. */
const isSure = (result: ScriptResult): boolean =>
  result.kind !== 'falls' || (result.shown !== null && !result.shown.faults.includes(HANG));

/** PostgreSQL may wake three sessions in any order, and a hang may end the next time. */
const isSurePlay = ({ sessions, told }: PlayState): boolean =>
  sessions.length <= 2 && !told.faults.includes(HANG);
