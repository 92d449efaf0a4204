import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { KeptChild, MOST_WORDS } from '../../platform/process/child.ts';
import { PlainError, UsageError } from '../../platform/process/errors.ts';
import { inProject } from '../../platform/process/project.ts';
import { Copy, type CopyOrder, type ProgramAnswer } from '../programs/copy.ts';
import { oneLine } from '../programs/one-line.ts';
import { shellWord } from '../programs/shell-word.ts';
import type {
  Given,
  SessionCommand,
  SessionFunction,
  SessionModule,
  SessionOrder,
  SessionRequest,
} from './types.ts';

/** A session that the explorer can run again and again. */
export interface RunnableSession {
  /** Called before each schedule. */
  makeReady(): Promise<void>;
  run(signal: AbortSignal): Promise<unknown>;
  end(): Promise<void>;
}

const LONGEST_LINE = 200;

/** Makes a session of what a person has written. `url` is the address for the session. */
export function sessionOf(
  name: string,
  order: SessionOrder,
  url: string,
  stop: AbortSignal,
): RunnableSession {
  if (typeof order === 'function') return functionSession(order, url);
  if (typeof order !== 'object' || order === null) throw notASession(name);
  if ('module' in order) return moduleSession(name, order, url, stop);
  if ('server' in order && isText(order.server) && isText(order.request?.path))
    return requestSession(name, order, url, stop);
  if ('command' in order && isText(order.command)) return commandSession(name, order, url);
  throw notASession(name);
}

const isText = (value: unknown): value is string => typeof value === 'string';

const notASession = (name: string) =>
  new UsageError(
    `The session ${name} must be a function, or have a module, a command (one text for the shell), ` +
      'or a server with a request.',
  );

const nothing = async () => undefined;

function functionSession(run: SessionFunction, url: string): RunnableSession {
  const start = async (given: Given) => run(given);
  return {
    makeReady: nothing,
    run: (signal) => start({ url, signal }),
    end: nothing,
  };
}

/** Starts the command anew at each run. The answer is the text that the command prints. */
function commandSession(name: string, { command }: SessionCommand, url: string): RunnableSession {
  let child: KeptChild | undefined;
  const end = async () => {
    await child?.kill();
    child = undefined;
  };
  return {
    makeReady: end,
    end,
    async run(signal) {
      const started = new KeptChild(['/bin/sh', '-c', command], {
        cwd: process.cwd(),
        settings: { DATABASE_URL: url },
      });
      child = started;
      signal.addEventListener('abort', () => void started.kill());
      const how = await started.ended;
      if (how !== 'exit code 0')
        throw new PlainError(`${name} ended with ${how}: ${oneLine(started.said, LONGEST_LINE)}`);
      if (started.printed.length < MOST_WORDS) return started.printed.trim();
      throw new PlainError(`${name} prints more than ${MOST_WORDS} characters`);
    },
  };
}

function requestSession(
  name: string,
  { server, request }: SessionRequest,
  url: string,
  stop: AbortSignal,
): RunnableSession {
  const order = { name, command: server, databaseUrl: url };
  return servedSession(order, stop, async (copy) => {
    const { status, body } = await copy.ask(request);
    if (status < FAILED) return { status, body };
    throw new PlainError(`${name} answered ${status}: ${oneLine(body, LONGEST_LINE)}`);
  });
}

/** The first status that means that the server itself has failed. */
const FAILED = 500;

const HOST = 'dist/module-host.js';
/** The options of Node with which a process reads modules. Other options, such as a debugger, stay here. */
const READS_MODULES = /^(--(import|require|loader|conditions|experimental-[\w-]+)(=|$)|-[rC]$)/;

/** Returns the options of this process with which Node reads modules, such as `--import tsx`. */
function moduleOptions(): string[] {
  const args = process.execArgv;
  return args.flatMap((each, index) => {
    if (!READS_MODULES.test(each)) return [];
    const next = args[index + 1];
    const hasValue =
      !each.includes('=') && !each.startsWith('--experimental') && next !== undefined;
    return hasValue ? [each, next] : [each];
  });
}

function moduleSession(
  name: string,
  { module, call = 'default', with: given }: SessionModule,
  url: string,
  stop: AbortSignal,
): RunnableSession {
  const isUrl = module instanceof URL || module.startsWith('file:');
  const file = path.resolve(isUrl ? fileURLToPath(module) : module);
  const words = [process.execPath, ...moduleOptions(), inProject(HOST), file, call];
  const command = `exec ${words.map(shellWord).join(' ')} "$PORT"`;
  const body = JSON.stringify({ url, with: given });
  return servedSession({ name, command, databaseUrl: url }, stop, async (copy) =>
    answerOf(await copy.ask({ method: 'POST', path: '/', body })),
  );
}

function answerOf({ status, body }: ProgramAnswer): unknown {
  if (status === 200) return body === '' ? undefined : JSON.parse(body);
  throw new PlainError(oneLine(body, LONGEST_LINE));
}

/** A session in a process that stays for all schedules. */
function servedSession(
  order: CopyOrder,
  stop: AbortSignal,
  ask: (copy: Copy) => Promise<unknown>,
): RunnableSession {
  let copy: Copy | undefined;
  return {
    // A copy that still works for an earlier schedule is not idle.
    async makeReady() {
      if (copy?.isIdle) return;
      await copy?.end();
      copy = await Copy.start({ ...order, cwd: process.cwd() }, stop);
    },
    run: () => ask(copy as Copy),
    async end() {
      await copy?.end();
    },
  };
}
