import * as fs from 'node:fs';
import path from 'node:path';
import { hasEnded, MARK, type Mark } from '../process/process-table.ts';
import { holderOf, stopServerOf } from './holder.ts';
import {
  copiesOf,
  dataOf,
  type Home,
  THROW_AWAY,
  temporaryDirectories,
  UNFINISHED,
} from './home.ts';

const MARKED = new RegExp(`^(?:${THROW_AWAY}|${UNFINISHED})(${MARK.source})-\\w{6}$`);

/**
 * Removes temporary homes and unfinished data of a process that was killed together with its guard.
 * First stops the server of such a home if the server still runs. Keeps the directories of living
 * processes, other users, other containers and other machines.
 */
export async function clearLeftovers(directory: string, account: Home['account']) {
  const ours = [process.getuid?.(), account?.uid];
  for (const name of fs.readdirSync(directory)) {
    const owner = name.match(MARKED)?.[1];
    if (owner === undefined || !hasEnded(owner)) continue;
    // If a leftover cannot be removed, go on with the next leftover.
    await clear(path.join(directory, name), ours).catch(() => undefined);
  }
}

/** Clears leftovers in the background, in each directory that may contain temporary homes. */
export function clearTemporary(account: Home['account']) {
  for (const directory of temporaryDirectories())
    clearLeftovers(directory, account).catch(() => undefined);
}

async function clear(leftover: string, ours: (number | undefined)[]) {
  const status = fs.lstatSync(leftover, { throwIfNoEntry: false });
  if (!status?.isDirectory() || !ours.includes(status.uid)) return;
  const mayStop = (home: string) =>
    ['nobody', 'stranger', 'orphan'].includes(holderOf(dataOf(home)).kind);
  if (homesIn(leftover).every(mayStop)) await removeHome(leftover);
}

/** Stops the servers of a temporary home without their guard, and removes the home. */
export async function removeHome(home: string, owner?: Mark) {
  await Promise.all(homesIn(home).map((each) => stopServerOf(each, 'SIGQUIT', owner)));
  await fs.promises.rm(home, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns this home and the homes of its copies. */
function homesIn(home: string): string[] {
  const copies = copiesOf(home);
  const names = fs.existsSync(copies) ? fs.readdirSync(copies) : [];
  return [home, ...names.map((name) => path.join(copies, name))];
}
