import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns whether this system has files with the memory of each process. Only Linux has such files.
 */
export const tellsMemory = (): boolean => existsSync('/proc/self/status');

/**
 * Returns the resident memory of a process in MB. `VmRSS` is the present value, and `VmHWM` is the
 * largest value.
 */
export function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${which}:\\s+(\\d+)`)) ?? [];
  return Number(kilobytes) / 1024;
}
