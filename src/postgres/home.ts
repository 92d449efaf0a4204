import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PlainError } from '../process/errors.ts';
import type { Mark } from '../process/process-table.ts';
import { inProject } from '../process/project.ts';
import { type Account, canEnter, chooseAccount } from './binaries.ts';
import type { GuardOrder } from './orders.ts';

/** A directory that PostgreSQL's account owns, and nobody else may read. */
export interface Home {
  home: string;
  account: Account;
}

/** The data is kept inside the checkout, so that removing the checkout removes the data. */
export const DEFAULT_HOME = inProject('.rowlock');

/**
 * A home contains the data, which includes the password, and in a private checkout the binaries.
 */
export const dataOf = (home: string) => path.join(home, 'data');
export const passwordOf = (data: string) => path.join(data, 'rowlock-password');
export const nativeOf = (home: string) => path.join(home, 'native');
/** Prefix of the directories where new data is made. */
export const UNFINISHED = 'unfinished-';
export const THROW_AWAY = 'rowlock-';

/** Makes a throw-away home, or opens a kept one. Throws a `PlainError` if this fails. */
export function openHome({ keepIn, owner }: Pick<GuardOrder, 'keepIn' | 'owner'>): Home {
  const account = chooseAccount();
  const home = keepIn === undefined ? throwAwayHome(owner, account) : placeFor(keepIn, account);
  try {
    makeDirectory(home);
    if (!isOurs(home)) throw new PlainError(`${home} holds something else. ${OTHER_DIR}`);
    if (account) fs.chownSync(home, account.uid, account.gid);
    fs.chmodSync(home, 0o700);
  } catch (error) {
    if (error instanceof PlainError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(`${home} cannot be used (${code}). ${OTHER_DIR}`);
  }
  if (!canEnter(home, account))
    throw new PlainError(`The user that runs PostgreSQL may not enter ${home}. ${OTHER_DIR}`);
  return { home, account };
}

const OTHER_DIR = 'Set DATA_DIR to a new or an empty directory.';

function throwAwayHome(owner: Mark, account: Account): string {
  const parents = [tmpdir(), '/tmp', '/var/tmp'];
  const parent = parents.find((directory) => canEnter(directory, account)) ?? tmpdir();
  try {
    return makeMarked(path.join(parent, THROW_AWAY), owner);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(
      `There is no room for temporary files in ${parent} (${code}). Set TMPDIR.`,
    );
  }
}

/**
 * Makes a directory whose name tells the owner. A later start removes it once the owner has ended.
 */
export const makeMarked = (prefix: string, owner: Mark): string =>
  fs.mkdtempSync(`${prefix}${owner}-`);

/** Whether `keepIn` has data from an earlier run. */
export const hasData = (keepIn: string): boolean =>
  fs.existsSync(passwordOf(dataOf(placeFor(keepIn, chooseAccount()))));

/** The user postgres often may not enter root's checkout. Then /var/lib is used instead. */
function placeFor(keepIn: string, account: Account): string {
  if (keepIn !== DEFAULT_HOME || canEnter(path.dirname(keepIn), account)) return keepIn;
  const name = createHash('sha256').update(keepIn).digest('hex').slice(0, 12);
  return `/var/lib/rowlock/${name}`;
}

/**
 * Makes a directory and its parents. Node's own `recursive` hangs if a parent cannot be made, as in
 * /proc.
 */
function makeDirectory(directory: string) {
  if (fs.existsSync(directory)) return;
  makeDirectory(path.dirname(directory));
  fs.mkdirSync(directory);
}

/**
 * Whether we made everything in the directory. We must not change the owner of other people's
 * files.
 */
function isOurs(home: string): boolean {
  if (fs.existsSync(passwordOf(dataOf(home)))) return true;
  return fs
    .readdirSync(home)
    .every((name) => name.startsWith(UNFINISHED) || name === path.basename(nativeOf(home)));
}
