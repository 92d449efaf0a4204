import type { Child } from '../../src/platform/process/child.ts';
import { until } from '../../src/platform/waiting/until.ts';
import { isRunning } from './command.ts';

export const LONG_MS = 20_000;

/** Returns the process ids that the program has printed. */
export async function printedIds(child: Child): Promise<number[]> {
  const [, ids = ''] = (await child.says(/ids: ([\d ]+)\n/, LONG_MS)) ?? [];
  return ids.split(' ').map(Number);
}

export const allEnd = (pids: number[]) =>
  until(() => !pids.some(isRunning), { everyMs: 10, withinMs: LONG_MS });

/**
 * A program that has a child, and writes into its folder until it is killed. So a folder that is
 * removed before the end of the program is not empty.
 */
export const BUSY = `sleep 1000 &
  while i=$((i+1)); do
    echo >"file$i"
    [ $i -ne 3000 ] || echo "ids: $$ $!"
  done`;
