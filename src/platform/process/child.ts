import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { inTime, whenLate } from '../waiting/deadline.ts';
import { environmentWith } from './environment.ts';

/**
 * The maximum length of the output that we keep. A process may print for ever, so we keep only the
 * end of the output.
 */
export const MOST_WORDS = 8_000;
/**
 * The maximum wait for the rest of the output after the end of a process. Another process may keep
 * the output open for longer.
 */
export const LAST_WORDS_MS = 1_000;
/**
 * The maximum wait for the watcher to end the group. After this time we kill the group ourselves,
 * because the program may have stopped or killed the watcher.
 */
const WATCHER_MS = 3_000;

/**
 * A process that we have started. Rowlock's own programs end by themselves when we end, because
 * they watch `ROWLOCK_PARENT` or their channel to us. Any other program needs a `KeptChild`.
 */
export class Child {
  readonly process: ChildProcess;
  /**
   * Resolves when the process has ended and the rest of its output is read. The result tells how
   * the process ended, such as `exit code 1`.
   */
  readonly ended: Promise<string>;
  readonly #output: Readable[];
  #said = '';
  #printed = '';
  #onWords: (() => void) | undefined;

  constructor(process: ChildProcess) {
    this.process = process;
    this.#output = [process.stdout, process.stderr].filter((each) => !!each);
    for (const stream of this.#output)
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-MOST_WORDS);
        this.#onWords?.();
      });
    process.stdout?.on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(-MOST_WORDS);
    });
    this.ended = exitOf(process).then(async (how) => {
      await this.#readRest();
      return how;
    });
  }

  /** Also true if the process could not start. */
  get hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** The end of the output of the process, on stdout and stderr. */
  get said(): string {
    return this.#said;
  }

  /** The end of the output of the process on stdout alone. */
  get printed(): string {
    return this.#printed;
  }

  /**
   * Waits until the output has these words. Returns undefined if the process ends first, or takes
   * too long. Only one caller may wait at a time.
   */
  async says(words: RegExp, withinMs: number): Promise<RegExpMatchArray | undefined> {
    const found = new Promise<RegExpMatchArray>((resolve) => {
      this.#onWords = () => {
        const match = this.#said.match(words);
        if (match) resolve(match);
      };
    });
    this.#onWords?.();
    const silent = () => undefined;
    const match = await inTime(Promise.race([found, this.ended.then(silent)]), withinMs, silent);
    this.#onWords = undefined;
    return match;
  }

  /** Asks the process to end. Kills the process if it takes too long. */
  async stop(withinMs: number) {
    this.process.kill('SIGTERM');
    await inTime(this.ended, withinMs, () => undefined);
    await this.kill();
  }

  async kill() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  async #readRest() {
    const read = Promise.allSettled(this.#output.map((stream) => finished(stream)));
    await inTime(read, LAST_WORDS_MS, () => undefined);
    for (const stream of this.#output) stream.destroy();
  }
}

function exitOf(process: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    process.once('exit', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `the signal ${signal}`),
    );
    // Other errors do not end the process, for example the failure to send a message.
    process.on('error', (error) => {
      if (process.pid === undefined) resolve(error.message);
    });
  });
}

/**
 * The shell becomes the program, so the exit code of the shell is the exit code of the program. The
 * subshell in the background is the watcher. The watcher reads a pipe from our process. The pipe
 * closes when we close it, or when our process ends, even by SIGKILL. Then the watcher kills the
 * program, and removes the folder of the program. At the end, the watcher kills the whole group of
 * the program, including itself. No other process can have the program's id, because the watcher is
 * still in the program's group.
 */
const WATCHED = `
( read -r _ <&3; kill -9 $$; [ -z "$1" ] || /bin/rm -rf "$1"; kill -9 0 ) >/dev/null 2>&1 &
exec 3<&-
shift
exec "$@"`;
const PIPE_FD = 3;

interface Surroundings {
  cwd: string;
  /** Further environment variables. */
  settings: Record<string, string>;
  /** A folder that is removed at the end. */
  throwAway?: string;
}

/**
 * A process that runs any program in a process group of its own. The group ends when this process
 * ends, even after SIGKILL. A Ctrl-C in the terminal does not reach the program.
 */
export class KeptChild extends Child {
  readonly #pipe: Socket;
  readonly #watcherEnded: Promise<void>;
  readonly #throwAway: string;

  constructor(program: string[], { cwd, settings, throwAway = '' }: Surroundings) {
    const child = spawn('/bin/sh', ['-c', WATCHED, 'watcher', throwAway, ...program], {
      cwd,
      env: environmentWith(settings),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    super(child);
    this.#throwAway = throwAway;
    this.#pipe = child.stdio[PIPE_FD] as Socket;
    // The watcher may have ended when we close the pipe.
    this.#pipe.on('error', () => undefined).resume();
    this.#watcherEnded = new Promise((resolve) => this.#pipe.once('close', resolve));
  }

  /** Lets this process end while the program runs. */
  unref() {
    const { stdout, stderr } = this.process;
    for (const each of [this.process, this.#pipe, stdout, stderr]) (each as Socket).unref();
  }

  /** Ends the program with everything that it has started. */
  override async kill() {
    this.process.ref();
    this.#pipe.ref().end();
    const ended = Promise.all([this.ended, this.#watcherEnded]);
    await whenLate(ended, WATCHER_MS, () => this.#killGroup());
    if (this.#throwAway !== '') await rm(this.#throwAway, { recursive: true, force: true });
  }

  /** Kills the group. The program or its watcher still runs, so no other group can have this id. */
  #killGroup() {
    try {
      if (this.process.pid !== undefined) process.kill(-this.process.pid, 'SIGKILL');
    } catch {
      // The group has already ended.
    }
  }
}
