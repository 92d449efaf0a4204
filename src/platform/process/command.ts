import { parseArgs } from 'node:util';
import { z } from 'zod';
import { UsageError } from './errors.ts';
import { runMain } from './main.ts';
import { print } from './print.ts';

/** An option of a command. The help, the parser and the checks use this description. */
export interface Option {
  /**
   * The word that stands for the value in the help, such as FILE. An option without a value is a
   * flag.
   */
  value?: string;
  /**
   * The rule for the value. Its message continues the name of the option, such as `needs a file`.
   */
  type: z.ZodType;
  /** The description in the help. */
  words: string;
  /** The allowed values, for the help. */
  range?: string;
  default?: unknown;
  /** The default that the help shows, if this is not the value of `default`. */
  usual?: string | number;
  /** A command line may give the option several times. `type` is then the rule for the array. */
  isRepeatable?: boolean;
  /** The help shows options with a heading below the other options. */
  heading?: string;
}

export type Options = Record<string, Option>;

/**
 * The checked values of options. The value is undefined if the option is not given and has no
 * default.
 */
export type Values<O extends Options> = {
  [K in keyof O]:
    | z.output<O[K]['type']>
    | (O[K] extends { default: z.output<O[K]['type']> } ? never : undefined);
};

export interface Command<O extends Options = Options> {
  /** The npm script. */
  name: string;
  purpose: string;
  /** The forms of the command line after the name of the command. By default `[options]`. */
  usage?: readonly string[];
  /** The help shows this text before the options. */
  about?: string;
  /** The arguments that are not options, such as FILE, with their descriptions in the help. */
  operands?: Record<string, string>;
  options?: O;
  /** The help shows this text after the options. It may tell the exit codes. */
  notes?: string;
  /** The exit code after an error that is no `UsageError`. By default 1. */
  failureCode?: number;
}

export const flag = (words: string) => ({ words, type: z.boolean(), default: false });

export const json = flag('print one line of JSON on stdout, and nothing else there');

/** A value that is a whole number. */
export function whole(smallest: number, largest: number) {
  const error = `must be a whole number from ${smallest} to ${largest}`;
  const type = z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(smallest, error).max(largest, error));
  return { value: 'N', range: `${smallest} to ${largest}`, type };
}

/** A text that must not be empty. `what` says in the error line what the option needs. */
export const needed = (what: string) => z.string().trim().min(1, `needs ${what}`);

/** Returns the options with a heading for the help. */
export const under = <O extends Options>(heading: string, options: O): O =>
  mapped(options, (option) => ({ ...option, heading })) as O;

const help: Option = flag('show this');

/**
 * Runs a command as `runMain` does, with the options that the command line gives. With `--help` it
 * only prints the help.
 */
export function runCommand<O extends Options>(
  command: Command<O>,
  run: (options: Values<O>, stop: AbortSignal, operands: string[]) => Promise<number | undefined>,
) {
  return runMain(async (stop) => {
    const { asksForHelp, options, operands } = readArguments(command);
    if (!asksForHelp) return run(options, stop, operands);
    print(helpOf(command));
    return 0;
  }, command.failureCode);
}

/**
 * Reads and checks the arguments of a command. The default of `args` is the arguments of this
 * process. Throws a `UsageError` if an argument is wrong. The message is one line, and tells how to
 * show the help.
 */
export function readArguments<O extends Options>(
  { name, options, operands }: Command<O>,
  args?: string[],
) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: mapped({ ...options, help }, ({ value, isRepeatable = false }) => ({
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isRepeatable,
      })),
      allowPositionals: operands !== undefined,
    });
    const checked = z.object(mapped({ ...options }, ruleOf)).parse(values) as Values<O>;
    return { asksForHelp: values.help === true, options: checked, operands: positionals };
  } catch (error) {
    throw new UsageError(`${complaintOf(error)}. See: ${lineOf(name, '--help')}`);
  }
}

const ruleOf = ({ type, default: usual }: Option): z.ZodType =>
  usual === undefined ? type.optional() : type.default(usual);

const complaintOf = (error: unknown) =>
  error instanceof z.ZodError
    ? error.issues.map(({ path: [name], message }) => `--${String(name)} ${message}`).join('; ')
    : String((error as Error).message).split(/\.?(?:\s*\n|\. |$)/)[0];

const mapped = <T>(options: Options, change: (option: Option) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, change(option)]));

const lineOf = (name: string, rest: string) => `npm run ${name}${rest && ` -- ${rest}`}`;

/** Returns the help of a command. */
export function helpOf({ name, purpose, about, operands = {}, notes, ...given }: Command): string {
  const { options = {}, usage = [Object.keys(options).length > 0 ? '[options]' : ''] } = given;
  const all = Object.entries({ ...options, help });
  const headings = new Set(all.map(([, { heading }]) => heading));
  const sections = [...headings].map((heading) => [
    ...(heading === undefined ? Object.entries(operands).map(entryOf) : [`${heading}:`]),
    ...all.filter(([, each]) => each.heading === heading).map(optionEntry),
  ]);
  const parts = [
    reflowed(purpose),
    `Usage: ${usage.map((rest) => lineOf(name, rest)).join('\n       ')}`,
    about && reflowed(about),
    ...sections.map((lines) => lines.join('\n')),
    notes && reflowed(notes),
  ];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

function optionEntry([name, { value, words, range, usual, default: filled }]: [string, Option]) {
  const found = usual ?? (value === undefined ? undefined : filled);
  const facts = [range, found === undefined ? undefined : `default: ${found}`].filter(Boolean);
  const head = value === undefined ? `--${name}` : `--${name} ${value}`;
  return entryOf([head, facts.length > 0 ? `${words} (${facts.join('; ')})` : words]);
}

/** The column at which the descriptions in the help begin, and the maximum length of a line. */
const INDENT = 21;
const WIDTH = 88;

/**
 * Breaks a text into lines. Each line has as many words as fit. A word that is too long gets its
 * own line.
 */
const linesOf = (text: string, width: number): string[] =>
  text.match(new RegExp(String.raw`\S(?:.{0,${width - 1}}(?!\S)|\S*)`, 'g')) ?? [];

/** Breaks each paragraph into new lines. A paragraph with an indented line keeps its lines. */
const reflowed = (text: string): string =>
  text
    .split('\n\n')
    .map((each) =>
      /^ /m.test(each) ? each : linesOf(each.replaceAll('\n', ' '), WIDTH).join('\n'),
    )
    .join('\n\n');

function entryOf([head, words]: [string, string]): string {
  const lines = linesOf(words, WIDTH - INDENT);
  const indented = lines.map((line) => ' '.repeat(INDENT) + line).join('\n');
  const begin = `  ${head} `;
  // A long head has a line of its own.
  if (begin.length > INDENT) return `${begin.trimEnd()}\n${indented}`;
  return begin.padEnd(INDENT) + indented.slice(INDENT);
}
