import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { inProject, listBuilt, readBuilt } from '../../platform/process/project.ts';
import { type Exercise, exerciseRules } from './exercise.ts';
import { type InBrowser, inBrowserRules, readGoal } from './in-browser.ts';

/** One lesson, as it is written in its folder in `workshop/`. All texts are Markdown. */
export interface Lesson {
  number: number;
  /** The name of its folder, such as `04-the-lock`. */
  name: string;
  title: string;
  minutes: number;
  question: Question;
  /** What the student will do and learn. It is shown after the prediction. */
  goal: string;
  task: string;
  exercise: Exercise;
  inBrowser: InBrowser;
  hints: string[];
  whatYouSaw: string;
  forTheTeacher: string;
  /** The script with which the student begins in the browser. Null if the lesson has none. */
  sql: string | null;
}

/** A question that is asked before anything is shown. */
export interface Question {
  text: string;
  choices: { letter: string; text: string }[];
  /** The letter of the right choice. */
  answer: string;
  because: string;
}

/**
 * The headings of a lesson, in this order. The goal comes after the question, because it may give
 * the answer away. The teacher's part comes last.
 */
export const HEADINGS = [
  'Minutes',
  'Predict',
  'Goal',
  'Task',
  'Exercise',
  'In the browser',
  'Hints',
  'Answer',
  'What you saw',
  'For the teacher',
] as const;
type Heading = (typeof HEADINGS)[number];

/** The folder of the lessons, inside of the project's folder. */
export const WORKSHOP = 'workshop';

/**
 * Reads all lessons, in their order. If a file is malformed, throws an error that names the file.
 */
export const readLessons = (): Lesson[] =>
  readdirSync(inProject(WORKSHOP))
    .filter((name) => /^\d\d-/.test(name))
    .toSorted()
    .map((name) => {
      const sql = fileOf(name, STARTER_SQL);
      return {
        ...readLesson(name, readFileSync(fileOf(name, 'lesson.md'), 'utf8')),
        sql: existsSync(sql) ? readFileSync(sql, 'utf8') : null,
      };
    });

/** The file of a lesson with the script for the browser. */
const STARTER_SQL = 'starter.sql';

/** The files of a lesson that its page shows. The build copies these files. */
export const SHOWN_FILES = ['lesson.md', STARTER_SQL];

/** Reads all lessons from the copies that the build made. A deployment has no folder `workshop`. */
export function readBuiltLessons(): Lesson[] {
  const files = listBuilt(path.join('sources', WORKSHOP));
  const read = (file: string) => readBuilt(path.join('sources', WORKSHOP, file)).toString();
  return files
    .filter((file) => path.basename(file) === 'lesson.md')
    .toSorted()
    .map((file) => {
      const name = path.dirname(file);
      const sql = path.join(name, STARTER_SQL);
      return {
        ...readLesson(name, withoutComments(read(file))),
        sql: files.includes(sql) ? read(sql) : null,
      };
    });
}

const fileOf = (lesson: string, name: string) => inProject(path.join(WORKSHOP, lesson, name));

/**
 * `starterOf` returns the file with which the student begins. `solutionOf` returns the file that
 * solves the exercise.
 */
export const starterOf = (lesson: Lesson) => exerciseFile(lesson, 'starter');
export const solutionOf = (lesson: Lesson) => exerciseFile(lesson, 'solution');

/** Returns the extension of the student's file: `txt` for a schedule, and `ts` for a strategy. */
export const extensionOf = ({ exercise }: Lesson) => (exercise.kind === 'schedule' ? 'txt' : 'ts');

function exerciseFile(lesson: Lesson, name: string): string {
  const file = fileOf(lesson.name, `${name}.${extensionOf(lesson)}`);
  if (!existsSync(file)) throw new Error(`There is no ${file}.`);
  return file;
}

/** Reads one lesson from the text of its page. */
export function readLesson(name: string, text: string): Omit<Lesson, 'sql'> {
  const fail = (problem: string): never => {
    throw new Error(`${WORKSHOP}/${name}/lesson.md: ${problem}`);
  };
  const [top = '', ...parts] = text.split(/^## /m);
  const [, number, title] = /^# (\d+)\. (.+)\n\s*$/.exec(top) ?? [];
  if (number === undefined || title === undefined)
    return fail('the first line must be "# NUMBER. TITLE", with nothing else above "## Minutes"');
  const sections = new Map(parts.map(splitHeading));
  const found = parts.map((part) => splitHeading(part)[0]);
  if (found.join() !== HEADINGS.join())
    return fail(`the headings must be ${HEADINGS.join(', ')}; they are ${found.join(', ')}`);
  const section = (heading: Heading) => sections.get(heading) ?? '';
  const exercise = exerciseRules.safeParse(readFields(section('Exercise')));
  if (!exercise.success)
    return fail(`the exercise is malformed: ${z.prettifyError(exercise.error)}`);
  const setting = inBrowserRules.safeParse(readFields(section('In the browser')));
  if (!setting.success)
    return fail(`the part for the browser is malformed: ${z.prettifyError(setting.error)}`);
  const minutes = /^\d{1,2}$/.test(section('Minutes')) ? Number(section('Minutes')) : 0;
  return {
    number: Number(number),
    name,
    title,
    minutes: minutes || fail('the minutes must be a number'),
    question:
      readQuestion(section('Predict'), section('Answer')) ??
      fail('Predict needs choices such as "- A. Never", and Answer must begin with "A. "'),
    goal: section('Goal'),
    task: section('Task'),
    exercise: exercise.data,
    inBrowser: { ...readGoal(section('In the browser')), setting: setting.data },
    hints: readItems(section('Hints')),
    whatYouSaw: section('What you saw'),
    forTheTeacher: section('For the teacher'),
  };
}

function splitHeading(part: string): [string, string] {
  const end = part.indexOf('\n');
  return [part.slice(0, end).trim(), part.slice(end).trim()];
}

const CHOICE = /^- ([A-D])\. (.+)$/gm;

function readQuestion(text: string, answered: string): Question | undefined {
  const choices = [...text.matchAll(CHOICE)].map(([, letter = '', words = '']) => ({
    letter,
    text: words,
  }));
  const [, answer = '', because = ''] = /^([A-D])\. ([\s\S]+)$/.exec(answered) ?? [];
  if (!choices.some(({ letter }) => letter === answer)) return undefined;
  return { text: text.replaceAll(CHOICE, '').trim(), choices, answer, because };
}

/** Returns the items of a numbered list. Each item is one line. */
const readItems = (text: string): string[] =>
  [...text.matchAll(/^\d+\. (.+)$/gm)].map(([, item = '']) => item);

/** Returns the fields of a list such as "- chapter: `claims`". */
const readFields = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^- ([\w ]+): (.+)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('`', ''),
    ]),
  );

/** Returns the text without HTML comments. Such a comment tells a test the source of a number. */
export const withoutComments = (text: string): string => text.replaceAll(/<!--[\s\S]*?-->/g, '');
