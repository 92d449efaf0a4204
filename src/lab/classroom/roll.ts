import { makeSecret } from './code.ts';
import type { ToldLesson } from './lessons.ts';
import { lookOf } from './look-alikes.ts';

/** The steps of a lesson, in their order. */
export const STEPS = ['predict', 'do', 'understand', 'done'] as const;
export type Step = (typeof STEPS)[number];

/** Everything that the room keeps about a student. */
export interface Student {
  /** From 1, in the order of joining. */
  number: number;
  name: string;
  /** The secret in the student's cookie. */
  secret: string;
  lesson: number | null;
  step: Step | null;
  /** The first prediction in each lesson, by the lesson's number. */
  predictions: Map<number, string>;
  /** The second vote in each lesson, after a talk with the neighbour. */
  secondVotes: Map<number, string>;
  /** The furthest step in each lesson. */
  steps: Map<number, Step>;
  /** The lessons whose script the student has solved. */
  solved: Set<number>;
  /** When the student last reported a step or a result, in milliseconds since 1970. */
  changedAt: number;
  /** How many pages of the student are open. */
  pages: number;
  /** The result of the last wrong answer, and how many times in a row it came. */
  wrong: { lesson: number; result: string; times: number } | undefined;
}

/** The report of a student's page. */
export interface Progress {
  lesson: number;
  step: Step;
  prediction?: string | undefined;
  /** The second vote. */
  secondVote?: string | undefined;
}

/** Why a student may need help. */
export type Trouble = 'away' | 'stuck' | 'repeats';

/** After this time without a step or a result, a student counts as stuck. */
export const STUCK_MS = 180_000;
/** After this number of the same wrong answers in a row, a student may need help. */
const MANY_TIMES = 2;

/** The state of the room as the teacher's page shows it. */
export interface ToldRoom {
  students: {
    number: number;
    name: string;
    lesson: number | null;
    step: Step | null;
    trouble: Trouble | null;
  }[];
  /** How many students predicted each letter, by the lesson's number. */
  predictions: Votes;
  /** How many students chose each letter in the second vote. */
  secondVotes: Votes;
  /** The counts of the class in each lesson, by the lesson's number. */
  seen: Record<number, Seen>;
}

type Votes = Record<number, Record<string, number>>;

/** How many students have reached each part of a lesson. */
export interface Seen {
  /** Have opened the lesson. */
  opened: number;
  /** Have read the answer. */
  understood: number;
  /** Have solved the script. */
  solved: number;
}

/**
 * The maximum number of students. It is enough for a class, and for students who join again with
 * another browser.
 */
export const MOST_STUDENTS = 60;

type Lessons = Pick<ToldLesson, 'number' | 'choices'>[];

/** The students of the room. */
export class Roll {
  readonly #students = new Map<string, Student>();
  readonly #choices: ReadonlyMap<number, string[]>;
  readonly #onChange: () => void;
  readonly #now: () => number;
  #last = 0;

  constructor(lessons: Lessons, onChange: () => void, now: () => number = Date.now) {
    this.#now = now;
    this.#choices = new Map(
      lessons.map(({ number, choices }) => [number, choices.map(({ letter }) => letter)]),
    );
    this.#onChange = onChange;
  }

  find(secret: string): Student | undefined {
    return this.#students.get(secret);
  }

  /** Adds a student. Returns `full` if no more students may join. */
  join(typed: string): Student | 'full' {
    if (this.#students.size >= MOST_STUDENTS) return 'full';
    const student: Student = {
      number: ++this.#last,
      name: this.#unlikeOthers(typed, undefined),
      secret: makeSecret(),
      lesson: null,
      step: null,
      predictions: new Map(),
      secondVotes: new Map(),
      steps: new Map(),
      solved: new Set(),
      changedAt: this.#now(),
      pages: 0,
      wrong: undefined,
    };
    this.#students.set(student.secret, student);
    this.#onChange();
    return student;
  }

  rename(student: Student, typed: string) {
    student.name = this.#unlikeOthers(typed, student);
    this.#onChange();
  }

  /** Removes and returns the student, or returns undefined if no student has this number. */
  remove(number: number): Student | undefined {
    const student = [...this.#students.values()].find((each) => each.number === number);
    if (!student) return undefined;
    this.#students.delete(student.secret);
    this.#onChange();
    return student;
  }

  /**
   * Notes the progress of a student. The first prediction counts, because later the student knows
   * the answer. Returns false if there is no such lesson or letter.
   */
  report(student: Student, { lesson, step, prediction, secondVote }: Progress): boolean {
    const letters = this.#choices.get(lesson);
    const voted = [prediction, secondVote].filter((letter) => letter !== undefined);
    if (!letters || voted.some((letter) => !letters.includes(letter))) return false;
    student.lesson = lesson;
    student.step = step;
    student.changedAt = this.#now();
    const before = student.steps.get(lesson) ?? step;
    student.steps.set(lesson, STEPS.indexOf(step) > STEPS.indexOf(before) ? step : before);
    if (prediction !== undefined && !student.predictions.has(lesson))
      student.predictions.set(lesson, prediction);
    if (secondVote !== undefined && !student.secondVotes.has(lesson))
      student.secondVotes.set(lesson, secondVote);
    this.#onChange();
    return true;
  }

  /**
   * Notes the result of a student's script. `wrong` is undefined if the script is right, and null if
   * the script could not be judged.
   */
  noteScript(number: number, lesson: number, wrong: string | null | undefined) {
    const student = [...this.#students.values()].find((each) => each.number === number);
    if (!student) return;
    student.changedAt = this.#now();
    if (wrong === null) {
      this.#onChange();
      return;
    }
    if (wrong === undefined) {
      student.solved.add(lesson);
      student.wrong = undefined;
    } else {
      const { wrong: last } = student;
      const isSame = last?.lesson === lesson && last.result === wrong;
      student.wrong = { lesson, result: wrong, times: isSame ? last.times + 1 : 1 };
    }
    this.#onChange();
  }

  /** Notes that the student has opened a page, or has closed one. */
  notePages(student: Student, change: 1 | -1) {
    student.pages += change;
    this.#onChange();
  }

  tell(): ToldRoom {
    const all = [...this.#students.values()];
    const seen: ToldRoom['seen'] = {};
    for (const [lesson] of this.#choices) {
      const isAt = (step: Step) =>
        all.filter(({ steps }) => isPast(steps.get(lesson), step)).length;
      const solved = all.filter((student) => student.solved.has(lesson)).length;
      const counts = { opened: isAt('predict'), understood: isAt('understand'), solved };
      if (counts.opened + counts.solved > 0) seen[lesson] = counts;
    }
    const students = all.map((student) => {
      const { number, name, lesson, step } = student;
      return { number, name, lesson, step, trouble: this.#troubleOf(student) };
    });
    const predictions = countVotes(all.map((student) => student.predictions));
    const secondVotes = countVotes(all.map((student) => student.secondVotes));
    return { students, predictions, secondVotes, seen };
  }

  #troubleOf({ pages, wrong, lesson, step, changedAt }: Student): Trouble | null {
    if (pages === 0) return 'away';
    const isRepeated = wrong?.lesson === lesson && (wrong?.times ?? 0) >= MANY_TIMES;
    if (isRepeated && step === 'do') return 'repeats';
    const isWorking = step === 'predict' || step === 'do';
    return isWorking && this.#now() - changedAt > STUCK_MS ? 'stuck' : null;
  }

  /** Adds a number to a name if another student has this name or a name that looks like it. */
  #unlikeOthers(typed: string, self: Student | undefined): string {
    const others = [...this.#students.values()].filter((each) => each !== self);
    const taken = new Set(others.flatMap(({ name }) => shapesOf(name)));
    for (let number = 1; ; number++) {
      const name = number === 1 ? typed : `${typed} (${number})`;
      if (!shapesOf(name).some((shape) => taken.has(shape))) return name;
    }
  }
}

const isPast = (step: Step | undefined, wanted: Step): boolean =>
  step !== undefined && STEPS.indexOf(step) >= STEPS.indexOf(wanted);

function countVotes(all: ReadonlyMap<number, string>[]): Votes {
  const votes: Votes = {};
  for (const [lesson, letter] of all.flatMap((each) => [...each])) {
    const counts = votes[lesson] ?? {};
    counts[letter] = (counts[letter] ?? 0) + 1;
    votes[lesson] = counts;
  }
  return votes;
}

/** Returns two texts about a name. Two names are too similar if they share one of their texts. */
const shapesOf = (name: string): string[] => [name.toLowerCase(), lookOf(name)];
