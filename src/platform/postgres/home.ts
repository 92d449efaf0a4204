import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chosenTemporaryFolder } from '../process/environment.ts';
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
/** Returns the directory for the homes of the copies of this home's server. */
export const copiesOf = (home: string) => path.join(home, 'copies');
/** The prefix of the directories where new data is made. */
export const UNFINISHED = 'unfinished-';
export const THROW_AWAY = 'rowlock-';

/** Opens the home at `keepIn`, or makes a temporary home. Throws a `PlainError` if this fails. */
export function openHome({
  keepIn,
  owner,
  durable,
}: Pick<GuardOrder, 'keepIn' | 'owner' | 'durable'>): Home {
  const account = chooseAccount();
  const home =
    keepIn === undefined ? throwAwayHome(owner, durable, account) : placeFor(keepIn, account);
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

/** A file system in memory. Linux uses this file system for memory that processes share. */
const IN_MEMORY = '/dev/shm';

/**
 * The number of bytes that must be free in `IN_MEMORY`, and in the memory of the machine. A
 * temporary server writes about 100 MB of data, and up to 1 GB of WAL. A server for a class of
 * students writes several times as much.
 */
const ROOM = 4 * 1024 ** 3;

/** Returns the directories that may contain temporary homes, the best first. */
export const temporaryDirectories = (): string[] => [
  ...new Set([IN_MEMORY, tmpdir(), '/tmp', '/var/tmp']),
];

/**
 * Returns the directory for temporary data that the account may use. Data that need not be durable
 * is in memory if there is room. A copy of a database has 300 files. Making and dropping a copy
 * took 210 ms of system time on a disk, and 76 ms in memory. TMPDIR may name another directory.
 */
export function temporaryDirectory(account: Account, durable = false): string {
  const isWanted = (directory: string) =>
    directory !== IN_MEMORY ||
    (!durable && chosenTemporaryFolder() === undefined && hasRoomInMemory());
  const parents = temporaryDirectories().filter(isWanted);
  return parents.find((directory) => canEnter(directory, account)) ?? tmpdir();
}

function throwAwayHome(owner: Mark, durable: boolean, account: Account): string {
  const parent = temporaryDirectory(account, durable);
  try {
    return makeMarked(path.join(parent, THROW_AWAY), owner);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(`Cannot make a temporary directory in ${parent} (${code}). Set TMPDIR.`);
  }
}

function hasRoomInMemory(): boolean {
  if (!fs.existsSync(IN_MEMORY) || !isMemoryForPrograms(IN_MEMORY)) return false;
  const { bavail, bsize } = fs.statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM;
}

/**
 * Returns whether the directory is in memory, and programs in the directory may run. If
 * PostgreSQL's account may not read the checkout, a home also contains the binaries. In Docker,
 * programs in /dev/shm may not run.
 */
function isMemoryForPrograms(directory: string): boolean {
  const mounts = fs.readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , type, options = ''] =
    mounts.map((line) => line.split(' ')).findLast(([, at]) => at === directory) ?? [];
  return type === 'tmpfs' && !options.split(',').includes('noexec');
}

/**
 * Makes a directory. Its name contains the mark of its owner. A later start removes the directory
 * if the owner has ended.
 */
export const makeMarked = (prefix: string, owner: Mark): string =>
  fs.mkdtempSync(`${prefix}${owner}-`);

/** Returns whether `keepIn` has data from an earlier run. */
export const hasData = (keepIn: string): boolean =>
  fs.existsSync(passwordOf(dataOf(placeFor(keepIn, chooseAccount()))));

/**
 * Returns the home to use for `keepIn`. The user postgres often may not enter root's checkout. The
 * default home is then in /var/lib.
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
 * Returns whether we made everything in the directory. We must not change the owner of other
 * people's files.
 */
function isOurs(home: string): boolean {
  if (fs.existsSync(passwordOf(dataOf(home)))) return true;
  return fs
    .readdirSync(home)
    .every((name) => name.startsWith(UNFINISHED) || name === path.basename(nativeOf(home)));
}
