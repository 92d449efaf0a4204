import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A running process, as the operating system lists it. */
export interface Listed {
  parent: number;
  /** False for a zombie. A zombie has ended, but its parent has not noticed the end yet. */
  alive: boolean;
  /**
   * The moment of the start. Systems reuse process ids, so two processes with the same id differ
   * only in this moment.
   */
  began: string;
  /** The program and its arguments. */
  words: string[];
}

export const HAS_PROC = existsSync('/proc/self/stat');

/**
 * Looks up the process with this id. Returns undefined if there is no such process, or if the
 * system does not show the process.
 */
export const processOf = (pid: number): Listed | undefined =>
  HAS_PROC ? fromProc(pid) : fromPs(pid);

function fromProc(pid: number): Listed | undefined {
  try {
    // The name in parentheses may itself contain spaces and parentheses.
    const [state, parent, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return { parent: Number(parent), alive: state !== 'Z', began: rest[17] ?? '', words };
  } catch {
    return undefined;
  }
}

const FOR_PS = {
  encoding: 'utf8',
  env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  stdio: ['ignore', 'pipe', 'ignore'],
} as const satisfies ExecFileSyncOptionsWithStringEncoding;

/**
 * Looks up a process by `ps`. We use `ps` only on macOS, which has no /proc. We do not use `ps` on
 * Linux, because many Linux images lack `ps`. Windows has neither /proc nor `ps`.
 */
export function fromPs(pid: number): Listed | undefined {
  try {
    const output = execFileSync(
      'ps',
      ['-ww', '-o', 'ppid=,stat=,lstart=,args=', '-p', String(pid)],
      FOR_PS,
    );
    const [parent, state, ...rest] = output.trim().split(/\s+/);
    const began = rest.slice(0, 5).join('').replaceAll(':', '');
    const alive = !state?.startsWith('Z');
    return { parent: Number(parent), alive, began, words: rest.slice(5) };
  } catch {
    return undefined;
  }
}

/** Returns the ids of the processes that the process `parent` has started. */
export function childrenOf(parent: number): number[] {
  if (HAS_PROC)
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && fromProc(pid)?.parent === parent);
  try {
    const rows = execFileSync('ps', ['-axo', 'pid=,ppid='], FOR_PS).trim().split('\n');
    const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
    return pairs.flatMap(([pid = 0, of]) => (of === parent ? [pid] : []));
  } catch {
    return [];
  }
}

/**
 * Identifies a process in the name of a file. Contains the id of the process, its machine and
 * container, and its start.
 */
export type Mark = string;
export const MARK = /\d+-[0-9a-f]{8}-\w+/;

export const markOf = (pid: number): Mark =>
  `${pid}-${ownPlace()}-${processOf(pid)?.began ?? 'unknown'}`;

export const pidOf = (mark: Mark): number => Number(mark.split('-')[0]);

/**
 * Returns whether the marked process has certainly ended. Returns false for processes of other
 * machines and containers, because we cannot see these processes.
 */
export function hasEnded(mark: Mark): boolean {
  const [pid, place, began] = mark.split('-');
  if (place !== ownPlace() || began === 'unknown') return false;
  const listed = processOf(Number(pid));
  return listed ? !listed.alive || listed.began !== began : !exists(Number(pid));
}

/**
 * Returns whether the process exists, even as a zombie. Unlike `processOf`, this function needs no
 * file descriptor.
 */
export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Identifies this machine and container. The process id is not enough, because each container has
 * its own process ids. The container's number is not enough, because the first container has the
 * same number on every Linux machine.
 */
const ownPlace = (): string =>
  createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 8);

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}
