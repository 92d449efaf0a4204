import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { temporaryDirectory } from '../../src/platform/postgres/home.ts';
import { programOf } from '../../src/platform/process/build.ts';
import { processOf } from '../../src/platform/process/process-table.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { settingNames } from '../../src/service/config/settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Command {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout has a match of `words`. Throws if the command ends before that. */
  says(words: RegExp): Promise<RegExpMatchArray>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

let endings: (() => unknown)[] = [];

/**
 * Runs `work` after all tests of the file. The last registered work runs first. Unlike
 * `onTestFinished`, concurrent tests may use this function.
 */
export const atEnd = (work: () => unknown) => void endings.unshift(work);

/** Runs the registered work. The next test file of this process begins without work. */
export async function end() {
  const works = endings;
  endings = [];
  for (const work of works) await work();
}

/**
 * Hides the settings of the test run from commands. An empty value also hides a value in `.env`.
 */
const noSettings = Object.fromEntries(settingNames.map((name) => [name, '']));

/** Runs a compiled command, such as `scripts/bench.ts`. Kills the command after the tests. */
export const run = (
  command: string,
  args: string[],
  env: Record<string, string> = {},
  cwd = root,
): Command => start(process.execPath, [compiled(command), ...args], env, cwd);

/** Runs a command like `npm run`: tsx compiles every loaded file. */
export const runSource = (command: string, args: string[], env: Record<string, string> = {}) =>
  start(process.execPath, ['--import', 'tsx', command, ...args], env);

const compiled = (command: string): string =>
  path.join(inject('commandsFolder'), command.replace(/\.ts$/, '.js'));

/** Runs a server like `npm start`, on a free port. Kills the server after the tests. */
export const runServer = (env: Record<string, string>, args: string[] = []): Command =>
  start(process.execPath, [...programOf(inject('serverProgram')), ...args], { PORT: '0', ...env });

/** Runs a worker like `npm run worker`, on a free port. Kills the worker after the tests. */
export const runWorker = (env: Record<string, string>): Command =>
  start(process.execPath, programOf(inProject('dist/worker.js')), { WORKER_PORT: '0', ...env });

/** Runs a program, by default in the project's folder. Kills the program after the tests. */
export function start(
  program: string,
  args: string[],
  env: Record<string, string>,
  cwd = root,
  stdin: 'ignore' | 'pipe' = 'ignore',
): Command {
  // npm may need additional certificates to download the queues of the bench.
  const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME, NODE_EXTRA_CA_CERTS, ...noSettings, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
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
      void ended.then(() =>
        reject(new Error(`the command ended without ${words} in its output: ${stdout}${stderr}`)),
      );
    });
  return { child, stdout: () => stdout, stderr: () => stderr, says, ended };
}

/** Makes a directory for temporary files. Removes the directory after the tests. */
export function makeTmpDir(parent = temporaryDirectory(undefined)): string {
  const directory = mkdtempSync(path.join(parent, 'rowlock-test-'));
  // If root runs the tests, PostgreSQL runs as another user, who must be able to read this
  // directory.
  chmodSync(directory, 0o755);
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Returns a path for a DATA_DIR. The directory does not exist yet. */
export const makeDataDir = (): string => path.join(makeTmpDir(), 'data');

/** Returns the process id of the PostgreSQL whose data is in this home. */
export const postmasterOf = (home: string): number =>
  Number(readFileSync(path.join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);

export const parentOf = (pid: number): number => {
  const { parent } = processOf(pid) ?? {};
  if (parent === undefined) throw new Error(`there is no process ${pid}`);
  return parent;
};

export function isRunning(pid: number): boolean {
  // A zombie process still accepts signals. On Linux, only /proc shows that the process has ended.
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
