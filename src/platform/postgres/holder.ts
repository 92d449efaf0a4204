import * as fs from 'node:fs';
import path from 'node:path';
import { exists, hasEnded, type Mark, processOf } from '../process/process-table.ts';
import { until } from '../waiting/until.ts';
import { dataOf } from './home.ts';

/**
 * Each server that we start has this setting on its command line, so we can always find the owner
 * of a running server.
 */
export const OWNER = 'rowlock.owner';

/**
 * The process that `postmaster.pid` names. PostgreSQL checks only whether this process is alive.
 */
export type Holder =
  | { kind: 'nobody' }
  /**
   * The process does not serve this data. Its id was reused, or the data was restored from a copy.
   */
  | { kind: 'stranger'; pid: number }
  /** A server of ours whose owner has ended. */
  | { kind: 'orphan'; pid: number }
  | { kind: 'rowlock'; pid: number; owner: Mark }
  /** A server that somebody else started. */
  | { kind: 'foreign'; pid: number }
  | { kind: 'unknown'; pid: number };

export function holderOf(data: string): Holder {
  const pid = holderIn(data);
  if (pid === undefined) return { kind: 'nobody' };
  const listed = processOf(pid);
  if (listed === undefined) return exists(pid) ? { kind: 'unknown', pid } : { kind: 'nobody' };
  const { words } = listed;
  if (!/(^|\/)(postgres|postmaster)$/.test(words[0] ?? '')) return { kind: 'stranger', pid };
  const serves = isSameDirectory(wordAfter('-D', words), data);
  if (serves === undefined) return { kind: 'unknown', pid };
  if (!serves) return { kind: 'stranger', pid };
  const owner = ownerIn(words);
  if (owner === undefined) return { kind: 'foreign', pid };
  return hasEnded(owner) ? { kind: 'orphan', pid } : { kind: 'rowlock', pid, owner };
}

const pidFileOf = (data: string) => path.join(data, 'postmaster.pid');

function holderIn(data: string): number | undefined {
  try {
    return Number.parseInt(fs.readFileSync(pidFileOf(data), 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

const wordAfter = (option: string, words: string[]): string | undefined =>
  words.find((_, at) => words[at - 1] === option);

/** Returns whether the two names lead to one directory, or undefined if we cannot decide this. */
function isSameDirectory(given: string | undefined, data: string): boolean | undefined {
  try {
    if (given === undefined || !path.isAbsolute(given)) return undefined;
    const [a, b] = [fs.statSync(given), fs.statSync(data)];
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return undefined;
  }
}

function ownerIn(words: string[]): Mark | undefined {
  return words.find((word) => word.startsWith(`${OWNER}=`))?.slice(OWNER.length + 1);
}

const STOP_PATIENCE_MS = 10_000;
const LOOK_MS = 50;

/**
 * Stops the server of a home without its guard. SIGINT shuts the server down cleanly. SIGQUIT ends
 * the server immediately, and the next start recovers the data. Waits a limited time for the end of
 * the server. Does not stop the server if another living process than `owner` owns it.
 */
export async function stopServerOf(home: string, how: 'SIGINT' | 'SIGQUIT', owner?: Mark) {
  const data = dataOf(home);
  const holder = holderOf(data);
  const isOwners = holder.kind === 'rowlock' && holder.owner === owner;
  if (holder.kind !== 'orphan' && !isOwners) return;
  const { pid } = holder;
  // A server removes `postmaster.pid` as its last step.
  const isRunning = () => holderIn(data) === pid && exists(pid);
  for (const signal of new Set([how, 'SIGQUIT'] as const)) {
    if (isRunning()) process.kill(pid, signal);
    await until(() => !isRunning(), { everyMs: LOOK_MS, withinMs: STOP_PATIENCE_MS });
  }
}
