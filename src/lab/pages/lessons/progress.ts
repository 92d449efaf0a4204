import { useStore } from '../../../pages/parts/store.ts';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import { labUrl } from '../api.ts';
import { entriesAmong, keptStore } from '../kept.ts';
import { isClassroom, isHeldIn, isOpenFor, usePace } from '../pace.tsx';

export type LessonStep = Reported['step'];

/**
 * The reason why the last part of a lesson is open. The visitor reached the goal, or asked for the
 * answer.
 */
type End = 'reached' | 'asked';

/** The visitor's progress in all lessons. The keys are the numbers of the lessons. */
interface Progress {
  /** The letters of the chosen answers. */
  predictions: Record<string, string>;
  /** The letters of the second votes in a class. */
  secondVotes: Record<string, string>;
  ends: Record<string, End>;
  done: Record<string, 'done'>;
}

const isLetter = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Z]$/.test(value);
const isEnd = (value: unknown): value is End => value === 'reached' || value === 'asked';
const isDone = (value: unknown): value is 'done' => value === 'done';

const progress = keptStore<Progress>('rowlock.lessons', (kept) => {
  const { predictions, secondVotes, ends, done } = (kept ?? {}) as Record<string, unknown>;
  return {
    predictions: entriesAmong(predictions, isLetter),
    secondVotes: entriesAmong(secondVotes, isLetter),
    ends: entriesAmong(ends, isEnd),
    done: entriesAmong(done, isDone),
  };
});

/** The visitor's progress in one lesson. */
export interface LessonProgress {
  step: LessonStep;
  prediction: string | undefined;
  secondVote: string | undefined;
  end: End | undefined;
}

const progressIn = (lesson: number): LessonProgress => {
  const { predictions, secondVotes, ends, done } = progress.get();
  const [prediction, end] = [predictions[lesson], ends[lesson]];
  const step =
    prediction === undefined ? 'predict' : (end && (done[lesson] ?? 'understand')) || 'do';
  return { step, prediction, secondVote: secondVotes[lesson], end };
};

/** Returns a function that gives the progress in a lesson. */
export function useProgress(): (lesson: number) => LessonProgress {
  useStore(progress);
  return progressIn;
}

/**
 * Returns the progress in one lesson, and reports each new step to the teacher's page. `lesson` is
 * 0 outside a lesson.
 */
export function useReportedProgress(lesson: number): LessonProgress {
  useStore(progress);
  const now = progressIn(lesson);
  const pace = usePace();
  const isHeld = isHeldIn(pace, lesson);
  const { step, prediction, secondVote } = now;
  useEffect(() => {
    const voted = { ...(prediction && { prediction }), ...(secondVote && { secondVote }) };
    if (lesson === 0 || !isOpenFor(pace, lesson)) return;
    // A held answer cannot be read yet.
    const isRead = step === 'understand' || step === 'done';
    reportProgress({ lesson, step: isRead && isHeld ? 'do' : step, ...voted });
  }, [lesson, step, secondVote, isHeld, isOpenFor(pace, lesson)]);
  return now;
}

const change = (more: Partial<Progress>) => progress.set({ ...progress.get(), ...more });

export const predict = (lesson: number, letter: string) =>
  change({ predictions: { ...progress.get().predictions, [lesson]: letter } });

export const voteAgain = (lesson: number, letter: string) =>
  change({ secondVotes: { ...progress.get().secondVotes, [lesson]: letter } });

/** Opens the last part of a lesson. A goal that was reached stays reached. */
export function showEnd(lesson: number, end: End) {
  const { ends } = progress.get();
  if (ends[lesson] !== 'reached') change({ ends: { ...ends, [lesson]: end } });
}

export const finish = (lesson: number) =>
  change({ done: { ...progress.get().done, [lesson]: 'done' } });

const without = <V>(record: Record<string, V>, lesson: number): Record<string, V> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== String(lesson)));

export function beginAnew(lesson: number) {
  const { predictions, secondVotes, ends, done } = progress.get();
  progress.set({
    predictions: without(predictions, lesson),
    secondVotes: without(secondVotes, lesson),
    ends: without(ends, lesson),
    done: without(done, lesson),
  });
}

/** The present lesson and step of a student. */
interface Reported {
  lesson: number;
  step: 'predict' | 'do' | 'understand' | 'done';
  /** The letter of the chosen answer. */
  prediction?: string;
  /** The letter of the second vote. */
  secondVote?: string;
}

/**
 * Reports this student's progress to the teacher's page. Only pages of a classroom report. These
 * pages have the attribute `data-classroom`. A lost report is not repeated, because the next step
 * is reported anyway.
 */
function reportProgress(progress: Reported): void {
  if (!isClassroom()) return;
  void fetch(`${labUrl}/classroom/progress`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(progress),
    // The browser sends the report even if the student leaves the page immediately.
    keepalive: true,
  }).catch(() => {});
}
