import type { TurnsLimits } from '../../platform/waiting/turns.ts';
import { findSituation } from '../chapters/index.ts';
import type { Judged } from '../lessons/attempt.ts';
import type { Lesson } from '../lessons/lesson.ts';
import type { Listener } from '../listener.ts';
import { type PlayState, play } from '../play/play.ts';
import { progressOf, type Run, Runs, type RunsDeps, type ScheduleNews } from '../runs.ts';
import type { Boxes } from '../sandbox/box.ts';
import { onServer } from '../sandbox/on-server.ts';
import { explain } from '../sandbox/sandbox.ts';
import { Mistake } from '../sandbox/statements.ts';
import { attemptScript, type OwnScript, type ScriptResult, scriptFor } from './attempt-script.ts';

export interface ScriptDeps extends RunsDeps {
  boxes: Boxes;
  /** Called with each result of a trial, for the caller who asked. */
  onResult?: (caller: string, asked: AskedScript, result: ScriptResult) => void;
}

/** The events of a trial of a script. `first` is a result that a more exact result follows. */
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

/** A right script keeps one processor busy for seconds. A wrong script has its result in a second. */
const TWO_AT_ONCE: TurnsLimits = { places: 2, longest: 60 };

/** The crowd has eight sessions, and one more for the end. */
const SESSIONS = 2;

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
      isLasting: () => true,
    };
    const turns = deps.turns ?? TWO_AT_ONCE;
    this.#boxes = deps.boxes;
    this.#onResult = deps.onResult;
    this.#attempts = new Runs({ ...deps, turns }, kind);
    this.#plays = new Runs({ ...deps, turns }, kind);
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
    const onDone = (result: ScriptResult) => this.#onResult?.(caller, asked, result);
    return this.#attempts.listen({ key, caller, work, onDone });
  }

  /** Returns a listener of a play of one schedule. Otherwise like `attempt`. */
  play({ lesson, text, situation: name, schedule }: AskedPlay, caller: string): Listener | 'full' {
    const own = scriptFor(lesson.exercise, text);
    const situation = findSituation(own, name);
    if (typeof situation === 'string') throw new Mistake(situation);
    const key = JSON.stringify([lesson.number, own.script, name, schedule]);
    const work = ({ stop }: Run<ScheduleNews<PlayState>>) =>
      this.#onServer(own, stop, async (stage) => {
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
        // A later listener must still get the first result, and progress would replace it.
        if (!hasFallen) onSchedule(Number.parseInt(where, 10) || 0);
      },
      onFall: (fall: Judged) => {
        hasFallen = true;
        run.tell('first', fall);
      },
    };
    return this.#onServer(own, run.stop, (stage) =>
      attemptScript(stage, lesson.exercise, own, listener),
    );
  }

  #onServer<T>(
    { chapter }: OwnScript,
    stop: AbortSignal,
    work: Parameters<typeof onServer<T>>[2],
  ): Promise<T> {
    const schema = `lab_${chapter.name}`;
    return onServer(this.#boxes, { sessions: SESSIONS, schema, stop }, work);
  }
}
