import { readFileSync } from 'node:fs';
import { starterVariables } from '../config.ts';
import { HAS_PROC, processOf } from './process-table.ts';

const CHECK_MS = 500;
const SHELL = /(^|\/)(ba|da|a|k|z)?sh$/;

/**
 * The starter is npm, a similar program that runs package scripts, or a process of ours (its id).
 */
type Starter = 'npm' | 'like npm' | number;

/**
 * Undefined if another program started this process. The end of that program does not matter to us.
 */
function readStarter(): Starter | undefined {
  const { parent, script, agent } = starterVariables();
  if (parent) return Number(parent);
  if (script === undefined) return undefined;
  return agent?.startsWith('npm/') ? 'npm' : 'like npm';
}

/**
 * Calls `act` once the starter of this process is gone. The starter may have died while this
 * process was still loading. So we first look for the starter, and then watch for a change of
 * parents.
 */
export function whenStarterIsGone(act: () => void) {
  const starter = readStarter();
  if (starter === undefined) return;
  if (hasLost(starter)) return act();
  const { ppid } = process;
  const above = parentOfShell();
  const isGone = () =>
    process.ppid !== ppid || (above !== undefined && (parentOfShell() ?? above) !== above);
  setInterval(() => isGone() && act(), CHECK_MS).unref();
}

/**
 * npm runs a command through a shell. npm passes SIGTERM on to the shell alone, and the shell dies
 * of the signal. Nobody passes SIGKILL on, so then the shell lives on and gets another parent.
 *
 * Undefined if there is no such shell, no /proc, or no free file descriptor to look with.
 */
function parentOfShell(): number | undefined {
  if (!HAS_PROC) return undefined;
  const parent = processOf(process.ppid);
  return SHELL.test(parent?.words[0] ?? '') ? parent?.parent : undefined;
}

/** Whether the starter has died already and another process has become our parent. */
function hasLost(starter: Starter): boolean {
  if (typeof starter === 'number') return process.ppid !== starter;
  if (starter === 'like npm') return false;
  // A system without /proc is macOS. There every orphan gets the parent 1, and npm is never 1.
  if (!HAS_PROC) return process.ppid === 1;
  const runner = parentOfShell() ?? process.ppid;
  return !descendsFromNpm(runner) && !hasNpmsEnvironment(runner);
}

function descendsFromNpm(pid: number): boolean {
  const listed = processOf(pid);
  if (listed === undefined) return false;
  return /^npm\b/.test(listed.words[0] ?? '') || descendsFromNpm(listed.parent);
}

/**
 * Whether npm also started our parent. Such a parent, for example a process manager, lives on
 * without npm.
 */
function hasNpmsEnvironment(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes('npm_lifecycle_event=');
  } catch {
    return false;
  }
}
