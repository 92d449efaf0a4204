import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { oneLine } from '../../explorer/programs/one-line.ts';
import { shellWord } from '../../explorer/programs/shell-word.ts';
import { aFile } from '../../platform/process/callers-file.ts';
import { needed, type Values, whole } from '../../platform/process/command.ts';
import { UsageError } from '../../platform/process/errors.ts';
import type { Chapter } from '../chapter.ts';
import { chapters } from '../chapters/index.ts';
import { inFolder } from '../judge/place.ts';
import { kindOf, readAnswers } from './answers.ts';
import type { OwnSchema } from './own-schema.ts';
import { assertFile, commandOfModule, kindInBody, type Program, programRules } from './program.ts';

/** The chapter of a strategy, a file or a program. */
export const chapterOption = {
  value: 'NAME',
  type: z.string(),
  range: chapters.map(({ name }) => name).join(', '),
  words: 'the chapter of the strategy, the file or the program',
  usual: `the chapter of the strategy or of the file, or ${chapters[0].name}`,
};

/** The options of a program in any language. */
export const programOptions = {
  server: {
    value: 'COMMAND',
    type: needed("a command, such as 'go run .'"),
    words:
      'a program in any language: COMMAND starts a server that answers GET /claim-job?jobId=&recruiterId= on PORT, and uses DATABASE_URL',
  },
  module: {
    ...aFile,
    words:
      'a function in Node.js with any driver, in place of a server: the default export of FILE takes { jobId, recruiterId }',
  },
  answers: {
    value: 'LIST',
    type: needed('a list such as claimed=200,full=409'),
    words:
      'what the answers of the server mean, if they are not the answers of our API: claimed=200,full=409,duplicate=409:duplicate',
  },
  schema: {
    ...aFile,
    words: "SQL that makes the tables and rows before the first step, in place of the lab's tables",
  },
  invariant: {
    value: 'QUERY',
    type: needed('a query'),
    words: 'with --schema: a query that must return no row in the end',
  },
};

/** The option for a program whose limit stands in its own code. A race has its own `--capacity`. */
export const limitOption = {
  capacity: {
    ...whole(1, 1_000),
    range: chapters.flatMap(({ programs }) => programs?.capacities ?? []).join(', '),
    words: 'the limit in the code of the program: only jobs with this number of slots are tried',
  },
};
export type ProgramOptions = Partial<Values<typeof programOptions & typeof limitOption>>;

/**
 * Returns whether the options name a program. Throws a `UsageError` if they contradict each other.
 */
export function isProgram(options: ProgramOptions): boolean {
  const { server, module, answers, capacity, schema, invariant } = options;
  const isNamed = (server ?? module) !== undefined;
  if (server !== undefined && module !== undefined)
    throw new UsageError('Only one of --server and --module can be given.');
  if (!isNamed && (answers ?? capacity ?? schema ?? invariant) !== undefined)
    throw new UsageError(
      '--answers, --capacity, --schema and --invariant need --server or --module.',
    );
  if (capacity !== undefined && schema !== undefined)
    throw new UsageError("--capacity is for the lab's tables. With --schema, the query decides.");
  if (module !== undefined && answers !== undefined)
    throw new UsageError('--answers is for --server. A function returns the name of the outcome.');
  if ((schema === undefined) !== (invariant === undefined))
    throw new UsageError('--schema and --invariant must be given together.');
  return isNamed;
}

/** Returns the options as words of a command that plays a schedule again. */
export function sourceOfProgram({ module, schema, ...options }: ProgramOptions): string[] {
  const files = { module: module && inFolder(module), schema: schema && inFolder(schema) };
  const typed = { ...options, ...files };
  return (Object.keys({ ...programOptions, ...limitOption }) as (keyof ProgramOptions)[]).flatMap(
    (name) => (typed[name] === undefined ? [] : [`--${name}`, shellWord(String(typed[name]))]),
  );
}

/** The maximum length of a name. A command may have many lines, but a message has only one line. */
const LONGEST_NAME = 200;

export function readProgram(options: ProgramOptions, chapter: Chapter): Program {
  const { server, module, answers, capacity } = options;
  const { answers: usual, capacities } = programRules(chapter);
  if (capacity !== undefined && !capacities.includes(capacity))
    throw new UsageError(
      `--capacity knows ${capacities.join(', ')}. For another limit, use --schema with your own tables.`,
    );
  const schema = readSchema(options);
  if (module !== undefined) {
    const known = schema ? undefined : usual.map(({ kind }) => kind);
    return {
      name: inFolder(module),
      command: commandOfModule(module),
      kindOf: kindInBody(known),
      capacity,
      schema,
    };
  }
  const rules = readAnswers(answers, usual);
  const command = server ?? '';
  const name = oneLine(command, LONGEST_NAME);
  return { name, command, kindOf: (answer) => kindOf(answer, rules), capacity, schema };
}

function readSchema({ schema: file, invariant }: ProgramOptions): OwnSchema | undefined {
  if (file === undefined || invariant === undefined) return undefined;
  assertFile(file);
  return { file: inFolder(file), text: readFileSync(file, 'utf8'), invariant };
}
