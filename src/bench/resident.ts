import { existsSync, readFileSync } from 'node:fs';

/** Only Linux tells the memory of another process so simply. */
export const tellsMemory = (): boolean => existsSync('/proc/self/status');

/** Resident memory of a process in MB: now, or the most so far. */
export function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${which}:\\s+(\\d+)`)) ?? [];
  return Number(kilobytes) / 1024;
}
