import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PlainError } from '../process/errors.ts';
import type { Mark } from '../process/process-table.ts';
import { inProject } from '../process/project.ts';
import { type Account, canEnter, chooseAccount } from './binaries.ts';
import type { GuardOrder } from './orders.ts';

/** A directory that PostgreSQL's account owns. No other account may read the directory. */
export interface Home {
  home: string;
  account: Account;
}

/** The data is inside the checkout, so the data is removed together with the checkout. */
export const DEFAULT_HOME = inProject('.rowlock');

/**
 * A home contains the data, and the data includes the password. If PostgreSQL's account may not
 * read the checkout, the home also contains a copy of the binaries.
 */
export const dataOf = (home: string) => path.join(home, 'data');
export const passwordOf = (data: string) => path.join(data, 'rowlock-password');
export const nativeOf = (home: string) => path.join(home, 'native');
/** Prefix of the directories where new data is made. */
export const UNFINISHED = 'unfinished-';
export const THROW_AWAY = 'rowlock-';

/** Opens the home at `keepIn`, or makes a throw-away home. Throws a `PlainError` if this fails. */
export function openHome({ keepIn, owner }: Pick<GuardOrder, 'keepIn' | 'owner'>): Home {
  const account = chooseAccount();
  const home = keepIn === undefined ? throwAwayHome(owner, account) : placeFor(keepIn, account);
  try {
    makeDirectory(home);
    if (!isOurs(home))
      throw new PlainError(`${home} contains files that Rowlock did not make. ${OTHER_DIR}`);
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
    throw new PlainError(`Cannot make a temporary directory in ${parent} (${code}). Set TMPDIR.`);
  }
}

/**
 * Makes a directory. Its name contains the mark of its owner. A later start removes the directory
 * if the owner has ended.
 */
export const makeMarked = (prefix: string, owner: Mark): string =>
  fs.mkdtempSync(`${prefix}${owner}-`);

/** Whether `keepIn` has data from an earlier run. */
export const hasData = (keepIn: string): boolean =>
  fs.existsSync(passwordOf(dataOf(placeFor(keepIn, chooseAccount()))));

/**
 * The home to use for `keepIn`. The user postgres often may not enter root's checkout. The default
 * home is then in /var/lib.
 */
function placeFor(keepIn: string, account: Account): string {
  if (keepIn !== DEFAULT_HOME || canEnter(path.dirname(keepIn), account)) return keepIn;
  const name = createHash('sha256').update(keepIn).digest('hex').slice(0, 12);
  return `/var/lib/rowlock/${name}`;
}

/**
 * Makes a directory and its parents. The option `recursive` of Node hangs if a parent cannot be
 * made, as in /proc.
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
