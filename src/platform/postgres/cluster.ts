import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { PlainError } from '../process/errors.ts';
import { type Account, gist, lastWords, launch, prepareBinaries } from './binaries.ts';
import { dataOf, type Home, makeMarked, nativeOf, passwordOf, UNFINISHED } from './home.ts';
import type { ServerOrder } from './orders.ts';

/** A PostgreSQL data directory, ready for the start of a server. */
export interface Cluster extends Home {
  data: string;
  native: string;
  password: string;
  order: ServerOrder;
}

const SUPERUSER = 'rowlock';

/** Returns the address of the superuser, with the password. */
export const urlOf = ({ password }: Pick<Cluster, 'password'>, port: number): string =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;

/**
 * Opens the cluster in this home. Runs initdb if there is no data yet. If several processes run
 * initdb at the same time, all processes use the data of the first process that finishes.
 */
export async function openCluster(
  { home, account }: Home,
  order: ServerOrder,
  signal: AbortSignal,
  initdbOptions: string[] = [],
): Promise<Cluster> {
  const native = prepareBinaries(nativeOf(home), account);
  const data = dataOf(home);
  if (!fs.existsSync(data)) await makeData({ home, account }, native, order, initdbOptions, signal);
  const password = fs.readFileSync(passwordOf(data), 'utf8');
  return { home, data, native, account, password, order };
}

/**
 * Makes the data in a separate directory, and renames the data at the end. Therefore incomplete
 * data is never used.
 */
async function makeData(
  { home, account }: Home,
  native: string,
  { owner, durable }: ServerOrder,
  initdbOptions: string[],
  signal: AbortSignal,
) {
  const unfinished = makeMarked(path.join(home, UNFINISHED), owner);
  const passwordFile = path.join(unfinished, 'password');
  const data = dataOf(unfinished);
  try {
    fs.writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account)
      for (const each of [unfinished, passwordFile]) fs.chownSync(each, account.uid, account.gid);
    const further = [...initdbOptions, ...(durable ? [] : ['--no-sync'])];
    await initdb(native, data, passwordFile, account, further, signal);
    fs.renameSync(passwordFile, passwordOf(data));
    fs.renameSync(data, dataOf(home));
  } catch (error) {
    // A rename never replaces a directory that has files. If the data is there now, another process
    // made it first.
    if (signal.aborted || !fs.existsSync(dataOf(home))) throw error;
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function initdb(
  native: string,
  data: string,
  passwordFile: string,
  account: Account,
  further: string[],
  signal: AbortSignal,
) {
  const options = ['-D', data, '-U', SUPERUSER, '--auth=scram-sha-256', '--pwfile', passwordFile];
  const locale = ['--encoding=UTF8', '--locale=C'];
  // This provider is the same on every machine. It knows that Ä is the capital letter of ä, so a
  // search for ä also finds Ä.
  const letters = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const child = launch(native, 'initdb', account, [...options, ...locale, ...letters, ...further]);
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  const words = lastWords(child);
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (code !== 0) throw new PlainError(`initdb failed: ${gist(words(), data)}`);
}
