/**
 * All parts of the lab that the server uses. The server imports this module at its start. A build
 * without the lab does not have this module. No other module of the server imports the lab.
 */
import { aFile } from '../platform/process/callers-file.ts';
import type { Values } from '../platform/process/command.ts';
import { UsageError } from '../platform/process/errors.ts';
import { isLoopback } from '../service/config/auth.ts';
import type { Config } from '../service/config/config.ts';
import { chapters } from './chapters/index.ts';
import { YOURS } from './own/messages.ts';
import { assertCanHost, nameOf, type Own, optionOf, shownIn, watchedOf } from './own/own.ts';
import { chapterOption, isProgram, programOptions } from './programs/options.ts';

export { labMount } from './mount.ts';

/** The options of the server that show a student's code in the lab. */
export const options = {
  strategy: {
    ...aFile,
    words: `show the strategy in a TypeScript file of your own in the lab, as "${YOURS}", anew on each save; only in workshop mode on loopback`,
  },
  ...programOptions,
  chapter: { ...chapterOption, usual: undefined, default: chapters[0].name },
};

export const NOTES =
  'A program takes the place of the strategy. docs/any-language.md has examples.';

/**
 * Returns the student's code that the lab should show. Throws a `UsageError` if this server must
 * not run student's code.
 */
export function ownCode(
  { strategy, chapter, ...program }: Values<typeof options>,
  { lab, host, auth }: Config,
): Own | undefined {
  const isNamed = isProgram(program);
  if (strategy === undefined && !isNamed) return undefined;
  if (strategy !== undefined && isNamed)
    throw new UsageError('Only one of --strategy, --server and --module can be given.');
  const own = strategy === undefined ? { program, chapter } : { file: strategy, chapter };
  const option = optionOf(own);
  if (!lab) throw new UsageError(`${option} needs workshop mode. LAB=on starts this mode.`);
  // Everybody who reaches the service can start the code.
  if (auth.kind !== 'loopback' || !isLoopback(host))
    throw new UsageError(`${option} runs code on this machine, so it works on loopback only.`);
  assertCanHost(own);
  return own;
}

/** Tells where the lab of the server at `url` shows the student's code. */
export function sayOwn(own: Own, url: string): string {
  const what = 'file' in own ? 'strategy' : 'program';
  const anew = watchedOf(own).length > 0 ? ', anew on each save' : '';
  return `Your ${what}: ${nameOf(own)}${anew}, at ${url}/lab?strategy=${shownIn(own)}/${YOURS}`;
}
