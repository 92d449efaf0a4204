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
}

/** The report of a student's page. */
export interface Progress {
  lesson: number;
  step: Step;
  prediction?: string | undefined;
}

/** The state of the room as the teacher's page shows it. */
export interface ToldRoom {
  students: { number: number; name: string; lesson: number | null; step: Step | null }[];
  /** How many students predicted each letter, by the lesson's number. */
  predictions: Record<number, Record<string, number>>;
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
  #last = 0;

  constructor(lessons: Lessons, onChange: () => void) {
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
  report(student: Student, { lesson, step, prediction }: Progress): boolean {
    const letters = this.#choices.get(lesson);
    if (!letters || (prediction !== undefined && !letters.includes(prediction))) return false;
    student.lesson = lesson;
    student.step = step;
    if (prediction !== undefined && !student.predictions.has(lesson))
      student.predictions.set(lesson, prediction);
    this.#onChange();
    return true;
  }

  tell(): ToldRoom {
    const predictions: ToldRoom['predictions'] = {};
    const students = [...this.#students.values()].map((student) => {
      for (const [lesson, letter] of student.predictions) {
        const counts = predictions[lesson] ?? {};
        counts[letter] = (counts[letter] ?? 0) + 1;
        predictions[lesson] = counts;
      }
      const { number, name, lesson, step } = student;
      return { number, name, lesson, step };
    });
    return { students, predictions };
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

/** Returns two texts about a name. Two names are too similar if they share one of their texts. */
const shapesOf = (name: string): string[] => [name.toLowerCase(), lookOf(name)];
