import { readdirSync } from 'node:fs';
import { processOf } from '../../src/platform/process/process-table.ts';
import type { Command } from './command.ts';

const LOOK_MS = 50;

/**
 * Reads the arguments of all processes that a command starts, until the command ends. Every user of
 * the computer can read these arguments. Only Linux shows arguments without a special program.
 */
export function watchArguments({ child, ended }: Pick<Command, 'child' | 'ended'>) {
  const seen = new Map<string, string>();
  const look = () => {
    for (const { id, words } of treeOf(child.pid ?? 0)) seen.set(id, words);
  };
  const looking = setInterval(look, LOOK_MS);
  void ended.finally(() => clearInterval(looking));
  look();
  /** Returns the command line of each process that was seen. */
  return () => [...new Set(seen.values())];
}

/** Returns the process with the id `root`, and all processes below this process. */
function treeOf(root: number) {
  const all = readdirSync('/proc').flatMap((name) => {
    const listed = /^\d+$/.test(name) ? processOf(Number(name)) : undefined;
    return listed ? [{ pid: Number(name), ...listed }] : [];
  });
  const pids = new Set([root]);
  for (let before = 0; before < pids.size; ) {
    before = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  return all
    .filter(({ pid }) => pids.has(pid))
    .map(({ pid, words }) => ({ id: `${pid} ${words.join(' ')}`, words: words.join(' ') }));
}

/** Matches the address of a database with a password, or a password of ours. */
export const SECRET = /\/\/[^/\s]*:[^/\s]+@|\b[0-9a-f]{48}\b|password=\S/i;
