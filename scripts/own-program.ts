import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Chapter } from '../src/lab/chapter.ts';
import { isOfTrial } from '../src/lab/chapter.ts';
import type { Played } from '../src/lab/explore/explore.ts';
import { Stage } from '../src/lab/explore/stage.ts';
import { openWire, type WireStage } from '../src/lab/explore/wire/stage.ts';
import type { Judged } from '../src/lab/judge/judge.ts';
import { kindOf, readAnswers } from '../src/lab/programs/answers.ts';
import { oneLine } from '../src/lab/programs/one-line.ts';
import { assertUsable, type OwnSchema } from '../src/lab/programs/own-schema.ts';
import {
  commandOfModule,
  kindInBody,
  type Program,
  pathOf,
  programRules,
  withProgram,
} from '../src/lab/programs/program.ts';
import { shellWord } from '../src/lab/programs/shell-word.ts';
import { UsageError } from '../src/process/errors.ts';
import { print } from '../src/process/print.ts';
import { withScratchDatabase } from './arena.ts';
import { clearProgress, showProgress } from './progress.ts';

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
  module: needed('module', 'a file'),
  answers: needed('answers', 'a list such as claimed=200,full=409'),
  schema: needed('schema', 'a file'),
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
export const sourceOfProgram = (options: ProgramOptions): string[] =>
  Object.keys(programOptions).flatMap((name) => {
    const value = options[name as keyof ProgramOptions];
    return value === undefined ? [] : [`--${name}`, shellWord(value)];
  });

/** The line about a program that gave no answer, or an answer that nobody understands. */
export function explainProgram({ endings }: Played): string | undefined {
  for (const ending of endings)
    if ('error' in ending && ending.error instanceof Error && !isOfTrial(ending.error))
      return ending.error.message;
  return undefined;
}

/** Does the work on a plain stage, with copies of the program that run at full speed. */
type AtFullSpeed = <T>(work: (stage: Stage, judged: Judged) => Promise<T>) => Promise<T>;

/** Runs the work with the program behind the gate, in a new database. */
export function withProgramStage<T>(
  options: ProgramOptions,
  { chapter, sessions }: { chapter: Chapter; sessions: number },
  stop: AbortSignal,
  work: (stage: Stage, judged: Judged, atFullSpeed: AtFullSpeed) => Promise<T>,
): Promise<T> {
  const program = readProgram(options, chapter);
  return withScratchDatabase(stop, (url) => {
    const atFullSpeed: AtFullSpeed = (run) =>
      withOpen(new Stage(url), (stage) => {
        const urls = Array<string>(sessions).fill(plain(url));
        const place = { chapter, urls, isRehearsed: false };
        return withProgram(program, place, stop, (judged) => run(stage, judged));
      });
    const onWire = async (stage: WireStage) => {
      // The SQL of a person may run for ever.
      stop.addEventListener('abort', () => void stage.admin.close(0));
      if (program.schema) await assertUsable(stage.admin, program.schema);
      const place = { chapter, urls: stage.addresses, isRehearsed: true };
      showProgress(`starting ${sessions} copies of ${program.name}`);
      return withProgram(program, place, stop, (judged) => work(stage, judged, atFullSpeed));
    };
    return openWire(url, { sessions, onRemark }).then((stage) =>
      withOpen(stage, () => onWire(stage)),
    );
  });
}

async function withOpen<S extends Stage, T>(stage: S, work: (stage: S) => Promise<T>): Promise<T> {
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

/** Many drivers try TLS first. The scratch database has none. */
export function plain(url: string): string {
  const address = new URL(url);
  address.searchParams.set('sslmode', 'disable');
  return address.href;
}

function onRemark(remark: string) {
  clearProgress();
  print(`${remark}\n`, process.stderr);
}

/** A command may have many lines, but a message has one. */
const LONGEST_NAME = 200;

export function readProgram(options: ProgramOptions, chapter: Chapter): Program {
  const { server, module, answers } = options;
  const { answers: usual } = programRules(chapter);
  const schema = readSchema(options);
  if (module !== undefined) {
    const known = schema ? undefined : usual.map(({ kind }) => kind);
    return { name: module, command: commandOfModule(module), kindOf: kindInBody(known), schema };
  }
  const rules = readAnswers(answers, usual);
  const command = server ?? '';
  const name = oneLine(command, LONGEST_NAME);
  return { name, command, kindOf: (answer) => kindOf(answer, rules), schema };
}

function readSchema({ schema: file, invariant }: ProgramOptions): OwnSchema | undefined {
  if (file === undefined || invariant === undefined) return undefined;
  const found = pathOf(file);
  if (!statSync(found).isFile()) throw new UsageError(`${file} is no file.`);
  return { file, text: readFileSync(found, 'utf8'), invariant };
}
