import * as fs from 'node:fs';
import path from 'node:path';
import { hasEnded, MARK } from '../process/process-table.ts';
import { holderOf, stopServerOf } from './holder.ts';
import { dataOf, type Home, THROW_AWAY, UNFINISHED } from './home.ts';

const MARKED = new RegExp(`^(?:${THROW_AWAY}|${UNFINISHED})(${MARK.source})-\\w{6}$`);

/**
 * Removes the throw-away homes, and the unfinished data, of processes that were killed together with
 * their guards. A server that still runs there is stopped first. Directories of living processes, of
 * other users, of other containers and of other machines stay.
 */
export async function clearLeftovers(directory: string, account: Home['account']) {
  const ours = [process.getuid?.(), account?.uid];
  for (const name of fs.readdirSync(directory)) {
    const owner = name.match(MARKED)?.[1];
    if (owner === undefined || !hasEnded(owner)) continue;
    // A leftover that cannot be removed must not keep the next ones.
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
