import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { callersFolder, environmentWith } from '../../config.ts';
import { oneLine } from './one-line.ts';

/**
 * The watcher reads a pipe from our process. The pipe closes when we close it, or when our process ends,
 * even by SIGKILL. Then the watcher kills the whole group of the program, and itself. The shell becomes
 * the program, so its exit code is the program's.
 */
const KEEPER = `
( read -r _ <&3; kill -9 0 ) >/dev/null 2>&1 &
exec 3<&-
exec /bin/sh -c "$1" </dev/null`;
const PIPE_FD = 3;

/** A program may print for ever. We keep its last words. */
const MOST_WORDS = 8_000;
const LONGEST_LINE = 200;

/** A program in a process group of its own. The group ends with our process. */
export class KeptProcess {
  /** Resolves when the program has ended, with the way of its end, such as `exit code 1`. */
  readonly ended: Promise<string>;
  hasEnded = false;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  #said = '';

  constructor(command: string, settings: Record<string, string>) {
    this.#child = spawn('/bin/sh', ['-c', KEEPER, 'keeper', command], {
      cwd: callersFolder(),
      env: environmentWith(settings),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#pipe = this.#child.stdio[PIPE_FD] as Duplex;
    // The program may have ended when we close the pipe.
    this.#pipe.on('error', () => undefined);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-MOST_WORDS);
      });
    const ended = once(this.#child, 'exit').then(
      ([code, signal]) => (signal === null ? `exit code ${code}` : `the signal ${signal}`),
      // This machine has no shell.
      (error: Error) => error.message,
    );
    this.ended = ended.finally(() => {
      this.hasEnded = true;
    });
  }

  /** Ends the program with everything that it has started. */
  async end() {
    this.#pipe.destroy();
    await this.ended;
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** The line of its output that says the most, with a colon before it. Empty if it said nothing. */
  get lastWords(): string {
    const lines = this.#said.split('\n').map((line) => oneLine(line, LONGEST_LINE));
    const said = lines.filter((line) => line !== '' && !EMPTY_WORDS.test(line));
    const line = said.findLast((each) => ERROR.test(each)) ?? said.at(-1) ?? '';
    return line && `: ${line}`;
  }
}

/** Stacks, summaries and rulers follow the message of an error. */
const EMPTY_WORDS = /^(\W+|exit status \d+|Node\.js v[\d.]+|at .+)$/;
const ERROR = /^(panic:|fatal error:|[\w.]*(Error|Exception)\b|Exception in thread)|not found$/;
