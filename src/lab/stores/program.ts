import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { environmentWith, programFolders } from '../../config.ts';
import { inTime } from '../../waiting/deadline.ts';

/** A program that runs for this process. */
export interface Running {
  /** Resolves when the program has ended, by whatever cause. */
  ended: Promise<unknown>;
  /** Kills the program, and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Runs the program as its child. The standard input of the shell is a pipe from our process. The pipe
 * closes when our process ends, even by SIGKILL. Then the shell kills the program. The shell does not
 * wait for the program before, so no other process can have the program's id.
 */
const KEEPER = `
folder=$1; shift
"$@" </dev/null &
exec >/dev/null 2>&1
read -r _
kill -9 $!
wait
/bin/rm -rf "$folder"`;

const LAST_WORDS = 2_000;
/** Redis starts in 20 ms, and etcd in 200 ms. */
const START_MS = 10_000;

/**
 * Starts a program in a new temporary folder, and waits until its output has the words `ready`.
 * `settings` are further environment variables. The program ends when this process ends, even after
 * SIGKILL. It does not keep this process alive. A Ctrl-C in the terminal does not reach it.
 */
export async function startProgram(
  file: string,
  argsIn: (folder: string) => string[],
  ready: RegExp,
  settings: Record<string, string> = {},
): Promise<Running> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rowlock-store-'));
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', folder, file, ...argsIn(folder)], {
    cwd: folder,
    env: environmentWith(settings),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const gone = once(keeper, 'exit');
  // The shell has closed its own output, so the output ends with the program.
  const ended = Promise.all([once(keeper.stdout, 'close'), once(keeper.stderr, 'close')]);
  const running = {
    ended,
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await gone;
    },
  };
  const failure = await inTime(
    untilReady(keeper, ended, ready),
    START_MS,
    () => 'it takes too long',
  );
  if (failure !== undefined) {
    await running.stop();
    throw new Error(failure);
  }
  letEnd(keeper);
  return running;
}

/** Returns the last line of the program if it ends before it is ready. */
function untilReady(
  { stdout, stderr }: ChildProcess,
  ended: Promise<unknown>,
  ready: RegExp,
): Promise<string | undefined> {
  let said = '';
  const isReady = new Promise<undefined>((resolve) => {
    for (const stream of [stdout, stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-LAST_WORDS);
        if (ready.test(said)) resolve(undefined);
      });
  });
  return Promise.race([isReady, ended.then(() => said.trim().split('\n').at(-1) || 'it ended')]);
}

/** Lets this process end while the child runs. */
function letEnd(child: ChildProcess) {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    (stream as unknown as { unref(): void } | null)?.unref();
}

/** The file of a program: a path, or a name on the PATH. Undefined if there is none. */
export function findOnPath(name: string, searched = programFolders()): string | undefined {
  const folders = name.includes(path.sep) ? [''] : searched.split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
