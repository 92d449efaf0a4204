import { readFileSync } from 'node:fs';
import { findStrategy } from '../chapters/index.ts';
import { type Lesson, readBuiltLessons, starterOf } from '../lessons/lesson.ts';
import { fileOf, type Texts } from '../syllabus/source.ts';

/** A lesson as the teacher's page shows it. */
export interface ToldLesson {
  number: number;
  title: string;
  minutes: number;
  question: string;
  choices: { letter: string; text: string }[];
  answer: string;
  because: string;
  /** The code that the class speaks about. */
  code: string;
}

/** Returns all lessons for the teacher's page, in their order. */
export const tellLessons = (texts: Texts): ToldLesson[] =>
  readBuiltLessons().map((lesson) => ({
    number: lesson.number,
    title: lesson.title,
    minutes: lesson.minutes,
    question: lesson.question.text,
    choices: lesson.question.choices,
    answer: lesson.question.answer,
    because: lesson.question.because,
    code: withoutImports(codeOf(lesson, texts)),
  }));

/** Returns the student's starter or, in a lesson about schedules, the strategy that is played. */
function codeOf(lesson: Lesson, texts: Texts): string {
  const { exercise } = lesson;
  if (exercise.kind !== 'schedule') return readFileSync(starterOf(lesson), 'utf8');
  const found = findStrategy(exercise.strategy);
  return typeof found === 'string' ? '' : (texts.get(fileOf(found)) ?? '');
}

/** Removes the imports, which would fill the first lines of the screen and teach nothing. */
const withoutImports = (code: string): string => code.replaceAll(/^import [^;]*;\n/gm, '').trim();
