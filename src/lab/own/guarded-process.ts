import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { z } from 'zod';
import { callersEnvironment } from '../../platform/process/callers-file.ts';
import { Child, LAST_WORDS_MS } from '../../platform/process/child.ts';
import { inProject } from '../../platform/process/project.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import { inFolder } from '../judge/place.ts';
import { CHANNEL_FD, GUARDED, hearMessages } from './channel.ts';
import { SILENCE_MS } from './messages.ts';

/**
 * The options of Node.js. `guardThisProcess` ends the process at a gigabyte. The limit of V8 is set
 * far higher, because V8 prints a long dump when a process reaches that limit.
 */
const NODE_OPTIONS = ['--import', 'tsx', '--max-old-space-size=4096'];
/** The time for a process to drop its databases, after we have asked the process to end. */
const STOP_MS = 3_000;

interface Start {
  /** A program of the project. It must call `openChannel`. */
  program: string;
  args: string[];
  cwd?: string;
  /** The student's file. */
  file: string;
  stdout: 'inherit' | 2;
}

/** The parent's side of a process that runs a student's file. */
export class GuardedProcess<Told> {
  /** Resolves when the process has ended, with the reason in one line. */
  readonly ended: Promise<string>;
  readonly #child: Child;
  readonly #channel: Duplex;
  readonly #file: string;
  /** The reason of the end, if we know the reason before the process has ended. */
  #reason: string | undefined;

  constructor({ program, args, cwd, file, stdout }: Start) {
    this.#file = file;
    const guarded = spawn(process.execPath, [...NODE_OPTIONS, inProject(program), ...args], {
      argv0: GUARDED,
      ...(cwd !== undefined && { cwd }),
      env: callersEnvironment(),
      // The process leads a group, so the processes that the file starts can be ended too.
      detached: true,
      stdio: ['ignore', stdout, 'inherit', 'pipe'],
    });
    this.#child = new Child(guarded);
    this.#channel = guarded.stdio[CHANNEL_FD] as Duplex;
    // We ignore the error, because a broken channel also closes.
    this.#channel.on('error', () => undefined);
    this.ended = this.#untilEnded();
  }

  /** Calls `hear` for each message. Ends the process if no message comes for `SILENCE_MS`. */
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
    // A process that is about to end gets no message.
    if (this.isOpen) this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  /** Asks the process to end. */
  terminate() {
    this.#child.process.kill('SIGTERM');
  }

  /** Ends a process that was asked to end, if it does not end soon by itself. */
  endSoon(reason: string) {
    this.#reason ??= reason;
    setTimeout(() => this.end(reason), STOP_MS).unref();
  }

  /** Ends the process and its group. */
  end(reason: string) {
    this.#reason ??= reason;
    // After a group has ended, another group may get its id. We must not end that other group.
    if (!this.#child.hasEnded) this.#killGroup();
  }

  async #untilEnded(): Promise<string> {
    await this.#child.ended;
    this.#killGroup();
    await inTime(finished(this.#channel), LAST_WORDS_MS, () => undefined).catch(() => undefined);
    this.#channel.destroy();
    return this.#reason ?? this.#howEnded();
  }

  #killGroup() {
    const { pid } = this.#child.process;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  }

  /** Returns why the process ended, if the process did not report a reason. */
  #howEnded(): string {
    const { signalCode } = this.#child.process;
    const how = signalCode === null ? 'it ended the process, as process.exit() does' : undefined;
    return `${inFolder(this.#file)}: ${how ?? `its process was ended by the signal ${signalCode}`}.`;
  }
}
