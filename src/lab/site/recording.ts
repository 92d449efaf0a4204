import { deflateRawSync } from 'node:zlib';
import type { ToldLesson } from '../lessons/http.ts';
import type { PlayState } from '../play/play.ts';
import type { PlayTree } from '../play/play-all.ts';
import type { ToldChapter } from '../syllabus/http.ts';
import type { Source } from '../syllabus/source.ts';
import type { SyllabusEntry } from '../syllabus/syllabus.ts';

/** The answers that the pages of the lab need at first. */
export interface Beginning {
  strategies: SyllabusEntry[];
  chapters: ToldChapter[];
  lessons: ToldLesson[];
}

/** JSON that is compressed, as base64. */
export type Packed = string;

/** Packs a value, so that a script can contain it. */
export const pack = (value: unknown): Packed =>
  deflateRawSync(JSON.stringify(value), { level: 9 }).toString('base64');

/** The plays of one strategy in all its situations, and its source code. */
export interface Recording {
  sources: Source[];
  /** Each part of a state once, such as a session or the locks. */
  values: unknown[];
  /** Each state once. A state comes after the states that follow it. */
  states: RecordedState[];
  /** The first state of each situation. */
  situations: Record<string, RecordedSituation>;
}

export interface RecordedSituation {
  /** The index of the first state in `states`. */
  first: number;
  /** Whether every schedule is recorded. */
  isComplete: boolean;
}

/** The words of a schedule that a state does not share with the state before. */
type End = Pick<PlayState['told'], 'sessions' | 'endings' | 'afterwards' | 'faults' | 'summary'>;

/** The parts of a state. In a recording, each part is an index in `values`. */
export interface StateParts {
  end: End;
  sessions: PlayState['sessions'];
  choices: PlayState['choices'];
  database: Pick<PlayState, 'committed' | 'locks'>;
  rest: Pick<PlayState, 'events' | 'isOver' | 'verdict' | 'failure' | 'deadlock'>;
}

export const PARTS = ['end', 'sessions', 'choices', 'database', 'rest'] as const;

/**
 * A state as numbers. `kept` counts the steps that are as in the state before. `steps` has the
 * indices of the further steps in `values`. `parts` has the indices of the parts, in the order of
 * `PARTS`. `next` has the index of the state after each recorded choice.
 */
export type RecordedState = [
  kept: number,
  steps: number[],
  parts: number[],
  next: Record<string, number>,
];

/** Makes the recording of one strategy from the trees of its situations. */
export class Recorder {
  readonly #values = new Unique();
  readonly #states = new Unique();
  readonly #situations: Recording['situations'] = {};

  add(situation: string, tree: PlayTree, { isComplete }: { isComplete: boolean }) {
    this.#situations[situation] = { first: this.#addState(tree, []), isComplete };
  }

  recording(sources: Source[]): Recording {
    return {
      sources,
      values: this.#values.all,
      states: this.#states.all as RecordedState[],
      situations: this.#situations,
    };
  }

  /** Adds a state and the states after it. `before` has the steps of the state before. */
  #addState({ state, next }: PlayTree, before: readonly number[]): number {
    const steps = state.told.steps.map((step) => this.#values.indexOf(step));
    const changed = before.findIndex((step, index) => step !== steps[index]);
    const kept = changed < 0 ? before.length : changed;
    const parts = partsOf(state);
    const recorded: RecordedState = [
      kept,
      steps.slice(kept),
      PARTS.map((name) => this.#values.indexOf(parts[name])),
      Object.fromEntries([...next].map(([choice, tree]) => [choice, this.#addState(tree, steps)])),
    ];
    return this.#states.indexOf(recorded);
  }
}

function partsOf({ told, sessions, choices, committed, locks, ...rest }: PlayState): StateParts {
  // The pages make the schedule and the transcript again from the other words.
  const { schedule, transcript, steps, ...end } = told;
  return { end, sessions, choices, database: { committed, locks }, rest };
}

/** A list of different values. Two values are equal if their JSON is equal. */
class Unique {
  readonly all: unknown[] = [];
  readonly #indices = new Map<string, number>();

  /** Returns the index of this value. Adds the value if the list does not have it. */
  indexOf(value: unknown): number {
    const key = JSON.stringify(value);
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    this.#indices.set(key, this.all.length);
    return this.all.push(value) - 1;
  }
}
