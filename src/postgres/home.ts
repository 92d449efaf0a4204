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

/** Kept with the checkout, so that removing one removes the other. */
export const DEFAULT_HOME = inProject('.rowlock');

/** What a home holds: the data with the password in it, and in a private checkout the binaries. */
export const dataOf = (home: string) => path.join(home, 'data');
export const passwordOf = (data: string) => path.join(data, 'rowlock-password');
export const nativeOf = (home: string) => path.join(home, 'native');
/** Where new data is made until it is whole. */
export const UNFINISHED = 'unfinished-';
export const THROW_AWAY = 'rowlock-';

/** Makes a throw-away home, or opens the one that is kept. Throws a `PlainError` when it cannot. */
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

/** A new directory whose name tells the owner, so that a later start knows when nobody needs it. */
export const makeMarked = (prefix: string, owner: Mark): string =>
  fs.mkdtempSync(`${prefix}${owner}-`);

/** Whether there is data that was kept for this directory. */
export const hasData = (keepIn: string): boolean =>
  fs.existsSync(passwordOf(dataOf(placeFor(keepIn, chooseAccount()))));

/** Root's checkout is often where PostgreSQL's own user may not go; then /var/lib serves. */
function placeFor(keepIn: string, account: Account): string {
  if (keepIn !== DEFAULT_HOME || canEnter(path.dirname(keepIn), account)) return keepIn;
  const name = createHash('sha256').update(keepIn).digest('hex').slice(0, 12);
  return `/var/lib/rowlock/${name}`;
}

/** mkdir -p. Node's own never comes back where a parent cannot be made, as in /proc. */
function makeDirectory(directory: string) {
  if (fs.existsSync(directory)) return;
  makeDirectory(path.dirname(directory));
  fs.mkdirSync(directory);
}

/** Whether we made all that is in there: what is somebody else's must not change its owner. */
function isOurs(home: string): boolean {
  if (fs.existsSync(passwordOf(dataOf(home)))) return true;
  return fs
    .readdirSync(home)
    .every((name) => name.startsWith(UNFINISHED) || name === path.basename(nativeOf(home)));
}
