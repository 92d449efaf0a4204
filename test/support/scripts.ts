import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Lesson, readLessons, WORKSHOP } from '../../src/lab/lessons/lesson.ts';
import { Boxes } from '../../src/lab/sandbox/box.ts';
import { onServer } from '../../src/lab/sandbox/on-server.ts';
import { attemptScript, type ScriptResult, scriptFor } from '../../src/lab/sql/attempt-script.ts';
import { prepareLabDatabase } from '../../src/lab/stages/stages.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { atEnd } from './command.ts';

/** The lessons with a script. */
export const lessonsWithScript: Lesson[] = readLessons().filter(({ sql }) => sql !== null);

export const scriptFile = ({ name }: Lesson, file: 'starter' | 'solution'): string =>
  readFileSync(inProject(path.join(WORKSHOP, name, `${file}.sql`)), 'utf8');

/** Time limits for tests that do not test the time limits. */
const PATIENT = { statement: 60_000, run: 300_000 };

/** Returns a function that tries a script as the solution of a lesson. */
export function scriptExaminer(limits = PATIENT) {
  const boxes = new Boxes({ limits, makeTables: prepareLabDatabase });
  atEnd(() => boxes.close());
  return async ({ exercise }: Lesson, text: string): Promise<ScriptResult> => {
    const own = scriptFor(exercise, text);
    const schema = `lab_${own.chapter.name}`;
    return onServer(boxes, { sessions: 2, schema, stop: undefined }, (stage) =>
      attemptScript(stage, exercise, own, {}),
    );
  };
}
