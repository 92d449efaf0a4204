import { existsSync, readFileSync } from 'node:fs';

/** Only Linux shows the memory of another process in a file. */
export const tellsMemory = (): boolean => existsSync('/proc/self/status');

/** Resident memory of a process in MB: now (`VmRSS`), or at its peak (`VmHWM`). */
export function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${which}:\\s+(\\d+)`)) ?? [];
  return Number(kilobytes) / 1024;
}
