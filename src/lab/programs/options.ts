import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { aFile } from '../../process/callers-file.ts';
import { UsageError } from '../../process/errors.ts';
import type { Chapter } from '../chapter.ts';
import { inFolder } from '../judge/place.ts';
import { kindOf, readAnswers } from './answers.ts';
import { oneLine } from './one-line.ts';
import type { OwnSchema } from './own-schema.ts';
import { assertFile, commandOfModule, kindInBody, type Program, programRules } from './program.ts';
import { shellWord } from './shell-word.ts';

/** The options of a program in any language, for the help of a command. */
export const PROGRAM_HELP = `  --server COMMAND   a program in any language: COMMAND starts a server that answers
                     GET /claim-job?jobId=&recruiterId= on PORT, and uses DATABASE_URL
  --module FILE      a function in Node.js with any driver, in place of a server: the
                     default export of FILE takes { jobId, recruiterId }
  --answers LIST     what the answers of the server mean, if they are not the answers of
                     our API: claimed=200,full=409,duplicate=409:duplicate
  --schema FILE      SQL that makes the tables and rows before the first step, in place
                     of the lab's tables
  --invariant QUERY  with --schema: a query that must return no row in the end`;

const text = { type: 'string' } as const;
export const programFlags = {
  server: text,
  module: text,
  answers: text,
  schema: text,
  invariant: text,
};

const needed = (name: string, what: string) =>
  z.string().trim().min(1, `--${name} needs ${what}`).optional();

export const programOptions = {
  server: needed('server', "a command, such as 'go run .'"),
  module: aFile('module').optional(),
  answers: needed('answers', 'a list such as claimed=200,full=409'),
  schema: aFile('schema').optional(),
  invariant: needed('invariant', 'a query'),
};
const rules = z.object(programOptions);
export type ProgramOptions = z.infer<typeof rules>;

/** Whether the options name a program. Throws a `UsageError` if they contradict each other. */
export function isProgram({ server, module, answers, schema, invariant }: ProgramOptions): boolean {
  const isNamed = (server ?? module) !== undefined;
  if (server !== undefined && module !== undefined)
    throw new UsageError('Only one of --server and --module can be given.');
  if (!isNamed && (answers ?? schema ?? invariant) !== undefined)
    throw new UsageError('--answers, --schema and --invariant need --server or --module.');
  if (module !== undefined && answers !== undefined)
    throw new UsageError('--answers is for --server. A function returns the name of the outcome.');
  if ((schema === undefined) !== (invariant === undefined))
    throw new UsageError('--schema and --invariant are given together.');
  return isNamed;
}

/** The options once more, for a command that plays a schedule again. */
export function sourceOfProgram({ module, schema, ...options }: ProgramOptions): string[] {
  const files = { module: module && inFolder(module), schema: schema && inFolder(schema) };
  const typed = { ...options, ...files };
  return (Object.keys(programOptions) as (keyof ProgramOptions)[]).flatMap((name) =>
    typed[name] === undefined ? [] : [`--${name}`, shellWord(typed[name])],
  );
}

/** A command may have many lines, but a message has one. */
const LONGEST_NAME = 200;

export function readProgram(options: ProgramOptions, chapter: Chapter): Program {
  const { server, module, answers } = options;
  const { answers: usual } = programRules(chapter);
  const schema = readSchema(options);
  if (module !== undefined) {
    const known = schema ? undefined : usual.map(({ kind }) => kind);
    return {
      name: inFolder(module),
      command: commandOfModule(module),
      kindOf: kindInBody(known),
      schema,
    };
  }
  const rules = readAnswers(answers, usual);
  const command = server ?? '';
  const name = oneLine(command, LONGEST_NAME);
  return { name, command, kindOf: (answer) => kindOf(answer, rules), schema };
}

function readSchema({ schema: file, invariant }: ProgramOptions): OwnSchema | undefined {
  if (file === undefined || invariant === undefined) return undefined;
  assertFile(file);
  return { file: inFolder(file), text: readFileSync(file, 'utf8'), invariant };
}
