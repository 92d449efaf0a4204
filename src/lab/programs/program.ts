import { statSync } from 'node:fs';
import type { ProgramAnswer } from '../../explorer/programs/copy.ts';
import { Fleet } from '../../explorer/programs/fleet.ts';
import { oneLine } from '../../explorer/programs/one-line.ts';
import { ProgramError } from '../../explorer/programs/program-error.ts';
import { shellWord } from '../../explorer/programs/shell-word.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { inProject } from '../../platform/process/project.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import type { Chapter, Explorable, ProgramRules, Strategy, Trial } from '../chapter.ts';
import type { Judged } from '../judge/judge.ts';
import { quoteAnswer } from './answers.ts';
import { type OwnSchema, type OwnStrategy, ownExplorable } from './own-schema.ts';

/** A program in any language, and the rules by which we read its answers. */
export interface Program {
  /** The name for people, such as `go run .`. */
  name: string;
  /** The command for a shell. The command starts a server on the port in `PORT`. */
  command: string;
  /** The kind of an answer, such as `full`. Undefined if the answer is an error. */
  kindOf(answer: ProgramAnswer): string | undefined;
  /** The limit in the program's own code. Undefined if the program reads the capacity of the job. */
  capacity?: number | undefined;
  /** The program's own tables. Undefined if the program uses production's tables. */
  schema?: OwnSchema | undefined;
}

/** The name of the strategy in verdicts and tables. */
export const NAME = 'the program';

const HOST = 'src/lab/programs/module-host.ts';

/**
 * Returns a command that serves the function of a module. Throws a `UsageError` if there is no such
 * file.
 */
export function commandOfModule(file: string): string {
  assertFile(file);
  const words = [process.execPath, '--import', 'tsx', inProject(HOST), file];
  return `cd ${shellWord(inProject('.'))} && exec ${words.map(shellWord).join(' ')} "$PORT"`;
}

export function assertFile(file: string) {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no file ${file}.`);
  if (!found.isFile()) throw new UsageError(`${file} is no file.`);
}

/** Reads the kind that a function has returned. `known` is undefined if any text is allowed. */
export const kindInBody =
  (known: readonly string[] | undefined) =>
  ({ status, body }: ProgramAnswer): string | undefined => {
    const isKnown = known === undefined || known.includes(body);
    return status === 200 && isKnown ? oneLine(body, LONGEST_KIND) : undefined;
  };

const LONGEST_KIND = 40;

/** The chapter in which a program is tried, and its databases. */
export interface ProgramTarget {
  chapter: Chapter;
  /** The addresses of the database, one for each copy. */
  urls: readonly string[];
  /** Whether the stage runs each session once alone, before the first schedule. */
  isRehearsed: boolean;
}

/** Runs the work with copies of a program, one for each address of the database. */
export function withProgram<T>(
  program: Program,
  target: ProgramTarget,
  stop: AbortSignal,
  work: (tried: Judged) => Promise<T>,
): Promise<T> {
  const { name, command } = program;
  return Fleet.with({ name, command, urls: target.urls }, stop, (fleet) =>
    work(triedBy(fleet, program, target)),
  );
}

/**
 * Returns the program as a strategy of the chapter, or as a strategy on the program's own tables.
 */
export function triedBy(
  fleet: Fleet,
  { kindOf, schema, capacity }: Program,
  { chapter, isRehearsed }: Omit<ProgramTarget, 'urls'>,
): Judged {
  const rules = programRules(chapter);
  const rehearsal = isRehearsed ? new Rehearsal() : undefined;
  const kindFor = async (session: number, query: string): Promise<string> => {
    const answer = await fleet.ask(session, { path: `${rules.path}?${query}` });
    const kind = kindOf(answer);
    if (kind !== undefined) return kind;
    throw new ProgramError(
      `answered ${answer.status}`,
      `The program answered ${quoteAnswer(answer)}`,
    );
  };
  const ask = (session: number, query: string): Promise<string> => {
    const asks = () => kindFor(session, query);
    return rehearsal ? rehearsal.watch(session, asks) : asks();
  };
  const makeReady = () => {
    rehearsal?.assertGood();
    return fleet.makeReady();
  };
  if (!schema) return preparedBy(makeReady, chapter, rules.strategyOf(NAME, ask, capacity));
  const run = (session: number) => ask(session, rules.queryOf(session));
  const strategy: OwnStrategy = { name: NAME, idea: '', promise: 'invariant', run };
  return preparedBy(makeReady, ownExplorable(schema), strategy);
}

/**
 * The time for a session's first answer, while the program runs alone. A program that takes longer
 * never answers. The first answer may need a new connection.
 */
const ALONE_MS = 8_000;

/**
 * Checks the first answer to each session. A program that fails while it runs alone does not work
 * at all, so its schedules would show nothing.
 */
class Rehearsal {
  readonly #sessions = new Set<number>();
  #error: Error | undefined;

  async watch<T>(session: number, ask: () => Promise<T>): Promise<T> {
    if (this.#sessions.has(session)) return ask();
    this.#sessions.add(session);
    const late = () =>
      Promise.reject(
        new ProgramError('no answer', `The program gave no answer within ${ALONE_MS / 1000} s`),
      );
    try {
      return await inTime(ask(), ALONE_MS, late);
    } catch (error) {
      this.#error ??= error as Error;
      throw error;
    }
  }

  assertGood() {
    if (this.#error)
      throw new UsageError(`Alone on its database: ${this.#error.message}`, { cause: this.#error });
  }
}

/** Throws a `UsageError` if no program can be tried in this chapter. */
export function programRules({ name, programs }: Chapter): ProgramRules {
  if (programs) return programs;
  throw new UsageError(`A program cannot be tried in ${name}. It can be tried in claims.`);
}

/** Lets each schedule begin with copies that run, and that do not work for an earlier schedule. */
function preparedBy<S extends Strategy>(
  makeReady: () => Promise<void>,
  chapter: Explorable<S>,
  strategy: S,
): Judged {
  const trial = (...args: Parameters<Explorable<S>['trial']>): Trial => {
    const inner = chapter.trial(...args);
    const setUp: Trial['setUp'] = async (admin) => {
      await makeReady();
      await inner.setUp(admin);
    };
    return { ...inner, setUp };
  };
  return { chapter: { ...chapter, trial } as Explorable, strategy };
}
