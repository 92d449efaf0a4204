import * as fs from 'node:fs';
import path from 'node:path';
import { hasEnded, MARK } from '../process/process-table.ts';
import { holderOf, stopServerOf } from './holder.ts';
import { dataOf, type Home, THROW_AWAY, UNFINISHED } from './home.ts';

const MARKED = new RegExp(`^(?:${THROW_AWAY}|${UNFINISHED})(${MARK.source})-\\w{6}$`);

/**
 * Removes throw-away homes and unfinished data of a process that was killed with its guard. First stops
 * the server of such a home if the server still runs. Keeps the directories of living processes,
 * other users, other containers and other machines.
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

async function clear(leftover: string, ours: (number | undefined)[]) {
  const status = fs.lstatSync(leftover, { throwIfNoEntry: false });
  if (!status?.isDirectory() || !ours.includes(status.uid)) return;
  if (!['nobody', 'stranger', 'orphan'].includes(holderOf(dataOf(leftover)).kind)) return;
  await stopServerOf(leftover, 'SIGQUIT');
  await fs.promises.rm(leftover, { recursive: true, force: true, maxRetries: 5 });
}
