import type { Judged } from '../lessons/attempt-strategy.ts';

/** A wrong answer that students gave, without their names. */
export interface WrongAnswer {
  lesson: number;
  /** The result in a few words, such as `oversold in last-slot`. */
  result: string;
  /** How many students gave an answer with this result. */
  students: number;
  /** The script that came first. A later script cannot change what the big screen shows. */
  text: string;
  /** The result in sentences. */
  says: string;
  /** The clearest counterexample. Null if no schedule shows the fault. */
  shown: Judged['shown'];
}

/** The maximum number of different results that we keep of a lesson. A lesson has about five. */
const MOST_OF_LESSON = 12;

interface Kept extends Omit<WrongAnswer, 'students'> {
  students: Set<number>;
}

/** The wrong answers of the class, by their result. */
export class WrongAnswers {
  readonly #kept = new Map<string, Kept>();

  note(student: number, answer: Omit<WrongAnswer, 'students'>) {
    const key = `${answer.lesson} ${answer.result}`;
    const before = this.#kept.get(key);
    const ofLesson = [...this.#kept.values()].filter(({ lesson }) => lesson === answer.lesson);
    if (!before && ofLesson.length >= MOST_OF_LESSON) return;
    if (before) before.students.add(student);
    else this.#kept.set(key, { ...answer, students: new Set([student]) });
  }

  /** Forgets a student who was removed, and the answers that only this student gave. */
  forget(student: number) {
    for (const [key, { students }] of this.#kept)
      if (students.delete(student) && students.size === 0) this.#kept.delete(key);
  }

  /** Returns the wrong answers of a lesson, the most frequent first. */
  of(lesson: number): WrongAnswer[] {
    return [...this.#kept.values()]
      .filter((each) => each.lesson === lesson)
      .map((each) => ({ ...each, students: each.students.size }))
      .toSorted((one, other) => other.students - one.students);
  }

  /** Returns how many students gave a wrong answer with each result, by the lesson's number. */
  counts(): Record<number, Record<string, number>> {
    const counts: Record<number, Record<string, number>> = {};
    for (const { lesson, result, students } of this.#kept.values())
      counts[lesson] = { ...counts[lesson], [result]: students.size };
    return counts;
  }
}
