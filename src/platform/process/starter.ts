import { readFileSync } from 'node:fs';
import { starterVariables } from './environment.ts';
import { HAS_PROC, processOf } from './process-table.ts';

const CHECK_MS = 500;
const SHELL = /(^|\/)(ba|da|a|k|z)?sh$/;

/**
 * The program that started this process. It is npm, another program that runs package scripts, or a
 * Rowlock process (given by its id).
 */
type Starter = 'npm' | 'like npm' | number;

/**
 * Returns the starter of this process. Returns undefined if any other program started this process,
 * because this process does not stop when such a program ends.
 */
function readStarter(): Starter | undefined {
  const { parent, script, agent } = starterVariables();
  if (parent) return Number(parent);
  if (script === undefined) return undefined;
  return agent?.startsWith('npm/') ? 'npm' : 'like npm';
}

/**
 * Calls `act` when the starter of this process has ended. May call `act` several times. The starter
 * may have died while this process was still loading. So we first check whether the starter has
 * already ended. Then we check regularly whether our parent has changed.
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
 * Returns the process id of the parent of npm's shell. npm runs a command through a shell. If npm
 * gets SIGTERM, npm sends SIGTERM to the shell, and the shell dies. If npm gets SIGKILL, the shell
 * stays alive and gets another parent.
 *
 * Returns undefined if there is no such shell or no /proc, or if this process may open no more
 * files.
 */
function parentOfShell(): number | undefined {
  if (!HAS_PROC) return undefined;
  const parent = processOf(process.ppid);
  return SHELL.test(parent?.words[0] ?? '') ? parent?.parent : undefined;
}

/** Returns whether the starter has already died, and another process is now our parent. */
function hasLost(starter: Starter): boolean {
  if (typeof starter === 'number') return process.ppid !== starter;
  if (starter === 'like npm') return false;
  // On macOS, which has no /proc, every orphan gets the parent 1. npm never has the id 1.
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
 * Returns whether npm also started the process with this id. Such a process, for example a process
 * manager, does not end together with npm.
 */
function hasNpmsEnvironment(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes('npm_lifecycle_event=');
  } catch {
    return false;
  }
}
