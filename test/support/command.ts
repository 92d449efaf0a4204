import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, inject } from 'vitest';
import { settingNames } from '../../src/config.ts';
import { programOf } from '../../src/process/build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Command {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves once this stands in stdout. */
  says(words: RegExp): Promise<RegExpMatchArray>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const endings: (() => unknown)[] = [];

/** Does this when the tests of the file are over, the last first. Tests that run at once may use it. */
export const atEnd = (work: () => unknown) => void endings.unshift(work);
afterAll(async () => {
  for (const work of endings) await work();
});

/** Without the runner's own settings: an empty value also keeps one in a .env from being taken. */
const noSettings = Object.fromEntries(settingNames.map((name) => [name, '']));

/** Runs one of the project's commands, such as `scripts/bench.ts`; it is killed when the tests end. */
export const run = (command: string, args: string[], env: Record<string, string> = {}): Command =>
  start(process.execPath, [compiled(command), ...args], env);

/** Runs a command as `npm run` does: tsx compiles it, and then what it loads. The judge needs that. */
export const runSource = (command: string, args: string[], env: Record<string, string> = {}) =>
  start(process.execPath, ['--import', 'tsx', command, ...args], env);

const compiled = (command: string): string =>
  path.join(inject('commandsFolder'), command.replace(/\.ts$/, '.js'));

/** Runs a server as `npm start` does, on a free port; it is killed when the tests end. */
export const runServer = (env: Record<string, string>): Command =>
  start(process.execPath, programOf(inject('serverProgram')), { PORT: '0', ...env });

/** Runs any program, in the checkout unless told otherwise. */
export function start(
  program: string,
  args: string[],
  env: Record<string, string>,
  cwd = root,
): Command {
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME, ...noSettings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  const says = (words: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = stdout.match(words);
        if (match) resolve(match);
      };
      child.stdout?.on('data', look);
      look();
      void ended.then(() => reject(new Error(`ended without saying ${words}: ${stdout}${stderr}`)));
    });
  return { child, stdout: () => stdout, stderr: () => stderr, says, ended };
}

/** A directory for temporary files, removed when the tests end. */
export function makeTmpDir(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'rowlock-test-'));
  // Run by root, PostgreSQL has another user, who has to get in.
  chmodSync(directory, 0o755);
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A place for a DATA_DIR, where there is nothing yet. */
export const makeDataDir = (): string => path.join(makeTmpDir(), 'data');

/** The process id of the PostgreSQL that serves this home. */
export const postmasterOf = (home: string): number =>
  Number(readFileSync(path.join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);

export const parentOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));

export function isRunning(pid: number): boolean {
  // A zombie that nobody has waited for yet still takes signals; only /proc tells on Linux.
  if (existsSync('/proc/self/stat')) {
    try {
      return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
