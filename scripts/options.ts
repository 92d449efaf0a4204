import { type ParseArgsConfig, parseArgs } from 'node:util';
import { z } from 'zod';
import { UsageError } from '../src/process/errors.ts';

/** The rule for an option that is a whole number. `usual` is the default. */
export function whole(name: string, smallest: number, largest: number, usual: number) {
  const error = `${name} must be a whole number from ${smallest} to ${largest}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(smallest, error).max(largest, error))
    .default(usual);
}

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
