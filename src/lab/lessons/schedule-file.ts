import { readFileSync } from 'node:fs';
import { CHOICE } from '../../explorer/choice.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { quoted } from '../chapters/index.ts';
import { inFolder } from '../judge/place.ts';

/** The choices in a student's file, and the line of each choice. */
export interface ScheduleFile {
  choices: string[];
  /**
   * Returns the file and line of this choice, such as `mine.txt:3`. If there is no such choice,
   * returns the line of the last choice.
   */
  lineOf(index: number): string;
}

/** The maximum number of choices. A strategy that needs more choices would never end by itself. */
const MOST = 200;

/**
 * Reads a schedule from a text file. Commas or spaces stand between the choices. A comment begins
 * with `#`. Throws a `PlainError` of one line if something else is in the file.
 */
export function readSchedule(file: string): ScheduleFile {
  const lines = readFileSync(file, 'utf8').split('\n');
  const found = lines.flatMap((line, index) =>
    line
      .replace(/#.*/, '')
      .split(/[\s,]+/)
      .filter((choice) => choice !== '')
      .map((choice) => ({ choice, line: index + 1 })),
  );
  const at = (line: number) => `${inFolder(file)}:${line}`;
  const wrong = found.find(({ choice }) => !CHOICE.test(choice));
  if (wrong)
    throw new PlainError(
      `${at(wrong.line)}: ${quoted(wrong.choice)} is no choice. Write 1 or 2 for a step of this session.`,
    );
  if (found.length > MOST)
    throw new PlainError(`${at(found[MOST]?.line ?? 1)}: a schedule has at most ${MOST} choices.`);
  const last = found.at(-1)?.line ?? lines.length;
  return {
    choices: found.map(({ choice }) => choice),
    lineOf: (index) => at(found[index]?.line ?? last),
  };
}
