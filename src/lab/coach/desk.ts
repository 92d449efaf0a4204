import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PlainError } from '../../platform/process/errors.ts';
import { inFolder } from '../judge/place.ts';
import { extensionOf, type Lesson, starterOf, WORKSHOP } from '../lessons/lesson.ts';
import { textOf } from '../own/watch.ts';

/** What a student has done so far. */
export interface Progress {
  /** The number of the present lesson. */
  lesson: number;
  /** The numbers of the solved lessons. */
  solved: number[];
  /** The letter of each prediction, by the number of the lesson. */
  predicted: Record<string, string>;
  /** How many hints the student has asked for, by the number of the lesson. */
  hints: Record<string, number>;
}

const progressRules = z.object({
  lesson: z.number().int(),
  solved: z.array(z.number().int()),
  predicted: z.record(z.string(), z.string()),
  hints: z.record(z.string(), z.number().int()),
});

/**
 * The folder with the student's files and progress, below the current folder. Git ignores the
 * folder.
 */
export class Desk {
  readonly #folder: string;

  constructor(folder = path.join(WORKSHOP, 'mine')) {
    this.#folder = path.resolve(folder);
  }

  /**
   * Returns the student's file of a lesson. If the file does not exist, makes a copy of the
   * starter.
   */
  fileOf(lesson: Lesson): string {
    const file = path.join(this.#folder, `${lesson.name}.${extensionOf(lesson)}`);
    if (!existsSync(file)) this.#restore(lesson, file);
    return file;
  }

  /** Replaces the student's file by the starter. */
  restore(lesson: Lesson) {
    this.#restore(lesson, this.fileOf(lesson));
  }

  #restore(lesson: Lesson, file: string) {
    writeWhole(file, readFileSync(starterOf(lesson), 'utf8'));
  }

  /** Returns one line about a file that cannot be read, or undefined if the file can be read. */
  problemOf(file: string): string | undefined {
    if (textOf(file) !== undefined) return undefined;
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) return `${inFolder(file)} is gone. Press r, and the starter comes back.`;
    return found.isDirectory()
      ? `${inFolder(file)} is a folder. Remove the folder, and press r.`
      : `${inFolder(file)} cannot be read.`;
  }

  get #progressFile() {
    return path.join(this.#folder, 'progress.json');
  }

  /** Reads the progress. Without a file, the progress begins with lesson 1. */
  readProgress(): Progress {
    const text = textOf(this.#progressFile);
    if (text === undefined) return { lesson: 1, solved: [], predicted: {}, hints: {} };
    const progress = parse(text);
    if (progress) return progress;
    const file = inFolder(this.#progressFile);
    throw new PlainError(`${file} is malformed. Remove the file to begin with lesson 1.`);
  }

  /**
   * Merges the progress with the progress that another coach has written in the same folder. Writes
   * and returns the result.
   */
  writeProgress(mine: Progress): Progress {
    const others = parse(textOf(this.#progressFile) ?? '');
    const progress = others ? merge(others, mine) : mine;
    writeWhole(this.#progressFile, `${JSON.stringify(progress, null, 2)}\n`);
    return progress;
  }
}

/**
 * Returns the number of the lesson in which the student stopped. If this lesson is solved, returns
 * the number of the next unsolved lesson.
 */
export function resumeAt(lessons: readonly Lesson[], { lesson, solved }: Progress): number {
  const open = lessons.filter(({ number }) => !solved.includes(number));
  const next = open.find(({ number }) => number >= lesson) ?? open[0];
  return next?.number ?? lesson;
}

function parse(text: string): Progress | undefined {
  try {
    return progressRules.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Joins the progress of two coaches. If both have a prediction, the prediction that was written
 * first counts.
 */
function merge(others: Progress, mine: Progress): Progress {
  const numbers = [...Object.keys(others.hints), ...Object.keys(mine.hints)];
  const most = (number: string) => Math.max(others.hints[number] ?? 0, mine.hints[number] ?? 0);
  return {
    lesson: mine.lesson,
    solved: [...new Set([...others.solved, ...mine.solved])],
    predicted: { ...mine.predicted, ...others.predicted },
    hints: Object.fromEntries(numbers.map((number) => [number, most(number)])),
  };
}

/**
 * Writes a draft and renames the draft. So a full disk keeps the old file, and nobody reads half a
 * file.
 */
function writeWhole(file: string, text: string) {
  const draft = `${file}.${process.pid}.new`;
  writing(file, () => {
    try {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(draft, text);
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

/** Runs a write. Throws a `PlainError` of one line if the write fails. */
function writing(file: string, write: () => void) {
  try {
    write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = REASONS[code ?? ''] ?? code;
    throw new PlainError(`${inFolder(file)} cannot be written: ${why}.`, { cause: error });
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'this account may not write there',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'something else has this name',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'something else has the name of the folder',
  EPERM: 'this account may not write there',
  EROFS: 'the disk is read-only',
};
