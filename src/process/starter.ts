import { readFileSync } from 'node:fs';
import { starterVariables } from '../config.ts';
import { HAS_PROC, processOf } from './process-table.ts';

const CHECK_MS = 500;
const SHELL = /(^|\/)(ba|da|a|k|z)?sh$/;

/** npm or a program like it, by a script of the package; or a process of ours, by its id. */
type Starter = 'npm' | 'like npm' | number;

/** Undefined: somebody else started this process, and need not live as long. */
function readStarter(): Starter | undefined {
  const { parent, script, agent } = starterVariables();
  if (parent) return Number(parent);
  if (script === undefined) return undefined;
  return agent?.startsWith('npm/') ? 'npm' : 'like npm';
}

/**
 * Calls `act` once the starter of this process is gone. A starter that died while this process was
 * still loading is gone at the first look, so a change of the ancestors is not enough to go by.
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
 * npm runs a command through a shell, and passes SIGTERM on to the shell alone, which dies of the
 * signal. Nobody passes SIGKILL on, so the shell lives on and gets another parent. Undefined where
 * there is no such shell, no /proc, or no free file descriptor to look with.
 */
function parentOfShell(): number | undefined {
  if (!HAS_PROC) return undefined;
  const parent = processOf(process.ppid);
  return SHELL.test(parent?.words[0] ?? '') ? parent?.parent : undefined;
}

/** Whether some other process has taken the starter's place already. */
function hasLost(starter: Starter): boolean {
  if (typeof starter === 'number') return process.ppid !== starter;
  if (starter === 'like npm') return false;
  // Without /proc this is macOS, where every orphan gets the parent 1, which is never npm.
  if (!HAS_PROC) return process.ppid === 1;
  const runner = parentOfShell() ?? process.ppid;
  return !descendsFromNpm(runner) && !hasNpmsEnvironment(runner);
}

function descendsFromNpm(pid: number): boolean {
  const listed = processOf(pid);
  if (listed === undefined) return false;
  return /^npm\b/.test(listed.words[0] ?? '') || descendsFromNpm(listed.parent);
}

/** A program between npm and us, such as a process manager, lives on without npm. */
function hasNpmsEnvironment(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes('npm_lifecycle_event=');
  } catch {
    return false;
  }
}
