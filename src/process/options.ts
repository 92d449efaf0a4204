import { type ParseArgsConfig, parseArgs } from 'node:util';
import { z } from 'zod';
import { UsageError } from './errors.ts';
import { print } from './print.ts';

/** The rule for an option that is a whole number. */
export function wholeNumber(name: string, smallest: number, largest: number) {
  const error = `${name} must be a whole number from ${smallest} to ${largest}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(smallest, error).max(largest, error));
}

/** The same, for an option with a default. */
export const whole = (name: string, smallest: number, largest: number, usual: number) =>
  wholeNumber(name, smallest, largest).default(usual);

/**
 * Reads and checks the options of a command. Throws a `UsageError`. Its message is one line and
 * tells how to show the help.
 */
export function readOptions<T extends z.ZodType>(
  command: string,
  rules: T,
  config: ParseArgsConfig,
): { options: z.infer<T>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs(config);
    return { options: rules.parse(values), positionals };
  } catch (error) {
    const words =
      error instanceof z.ZodError
        ? error.issues.map((issue) => issue.message).join('; ')
        : String((error as Error).message).split(/\.?(?:\s*\n|\. |$)/)[0];
    throw new UsageError(`${words}. See: npm run ${command} -- --help`);
  }
}

const onlyHelp = z.object({ help: z.boolean().default(false) });

/**
 * Reads the options of a command that has no option but `--help`. Prints the help if it is asked
 * for. Then it returns true, and the command has nothing more to do.
 */
export function printsHelp(command: string, help: string): boolean {
  const config = { options: { help: { type: 'boolean' } } } as const;
  const { options } = readOptions(command, onlyHelp, config);
  if (options.help) print(help);
  return options.help;
}
