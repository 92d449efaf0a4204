import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { callersEnvironment } from '../../process/callers-file.ts';
import { inProject } from '../../process/project.ts';
import { inFolder } from '../judge/place.ts';
import { CHANNEL_FD, GUARDED, hearMessages } from './channel.ts';
import { SILENCE_MS } from './messages.ts';

/**
 * The guard ends the process at a gigabyte. V8's own limit is far higher, because V8 prints a long
 * dump there.
 */
const NODE_OPTIONS = ['--import', 'tsx', '--max-old-space-size=4096'];
/** How long a process that is asked to end may take to drop its databases. */
const STOP_MS = 3_000;
/** How long the last messages of a process may take after its end. */
const LAST_WORDS_MS = 1_000;

interface Start {
  /** A program of the project. It must call `openChannel`. */
  program: string;
  args: string[];
  cwd?: string;
  /** The student's file. */
  file: string;
  stdout: 'inherit' | 2;
}

/** A process that runs a student's file, as its parent sees the process. */
export class GuardedProcess<Told> {
  /** Resolves when the process has ended, with the reason in one line. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #file: string;
  /** Why the process ends, if this is known before its end. */
  #reason: string | undefined;

  constructor({ program, args, cwd, file, stdout }: Start) {
    this.#file = file;
    this.#child = spawn(process.execPath, [...NODE_OPTIONS, inProject(program), ...args], {
      argv0: GUARDED,
      ...(cwd !== undefined && { cwd }),
      env: callersEnvironment(),
      // The process leads a group, so the processes that the file starts can be ended too.
      detached: true,
      stdio: ['ignore', stdout, 'inherit', 'pipe'],
    });
    this.#channel = this.#child.stdio[CHANNEL_FD] as Duplex;
    // A broken channel also closes.
    this.#channel.on('error', () => undefined);
    this.ended = this.#untilEnded();
  }

  /** Any message shows that the process still gives the processor back. */
  hear<Heard>(schema: z.ZodType<Heard>, hear: (message: Heard) => void) {
    const silent = `${inFolder(this.#file)}: it blocks its process, and answers nothing any more.`;
    const silence = setTimeout(() => this.end(silent), SILENCE_MS).unref();
    void this.ended.then(() => clearTimeout(silence));
    hearMessages(this.#channel, schema, (message) => {
      silence.refresh();
      hear(message);
    });
  }

  get isOpen(): boolean {
    return this.#channel.writable;
  }

  tell(message: Told) {
    // A process that ends just now gets no message.
    if (this.isOpen) this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  /** Asks the process to end. */
  terminate() {
    this.#child.kill('SIGTERM');
  }

  /** Ends a process that was asked to end, unless it ends soon by itself. */
  endSoon(reason: string) {
    this.#reason ??= reason;
    setTimeout(() => this.end(reason), STOP_MS).unref();
  }

  /** Ends the process and its group. */
  end(reason: string) {
    this.#reason ??= reason;
    const { exitCode, signalCode } = this.#child;
    // Another group may have the id of a group that has ended.
    if (exitCode === null && signalCode === null) this.#killGroup();
  }

  async #untilEnded(): Promise<string> {
    await once(this.#child, 'exit').catch(() => undefined);
    this.#killGroup();
    const heard = finished(this.#channel).catch(() => undefined);
    await Promise.race([heard, sleep(LAST_WORDS_MS)]);
    this.#channel.destroy();
    return this.#reason ?? this.#howEnded();
  }

  #killGroup() {
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  }

  /** Why the process ended without a word. */
  #howEnded(): string {
    const { signalCode } = this.#child;
    const how = signalCode === null ? 'it ended the process, as process.exit() does' : undefined;
    return `${inFolder(this.#file)}: ${how ?? `its process was ended by the signal ${signalCode}`}.`;
  }
}
