import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { PlainError } from '../../platform/process/errors.ts';

/** A schedule that broke the rule, as it is kept in a file. */
export interface Kept {
  rule: string;
  /** The order of the steps, such as `1,2,2,1`. */
  schedule: string;
  /** The statements of each step, without values, such as `S1: select … where id = $1`. */
  steps: string[];
}

/** Returns the file for the schedules of this file, such as `bank.test.schedules.json`. */
export const keptFileOf = (file: string): string =>
  `${file.replace(/\.[cm]?[jt]sx?$/, '')}.schedules.json`;

/** Reads the schedule with this name. Throws a `PlainError` if the file is damaged. */
export function readKept(file: string, name: string): Kept | undefined {
  const all = readAll(file);
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

/** Writes the schedule with this name. Without a schedule, removes the old one. */
export function writeKept(file: string, name: string, kept: Kept | undefined) {
  const { [name]: old, ...others } = readAll(file);
  if (!old && !kept) return;
  const all = kept ? { ...others, [name]: kept } : others;
  if (Object.keys(all).length === 0) return rmSync(file, { force: true });
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify(sorted, undefined, 2)}\n`);
  renameSync(draft, file);
}

function readAll(file: string): Record<string, Kept> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    const all = JSON.parse(text) as Record<string, Kept>;
    if (Object.values(all).every(isKept)) return all;
  } catch {
    // The error below names the file.
  }
  throw new PlainError(`${file} has no schedules of the explorer. Restore or remove the file.`);
}

const isKept = ({ rule, schedule, steps }: Kept) =>
  typeof rule === 'string' && typeof schedule === 'string' && Array.isArray(steps);
