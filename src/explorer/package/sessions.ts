import { fileURLToPath } from 'node:url';
import { KeptChild } from '../../platform/process/child.ts';
import { callersFolder } from '../../platform/process/environment.ts';
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
  /** Whether the session runs in the process of the caller. */
  isLocal: boolean;
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
  if ('module' in order) return moduleSession(name, order, url, stop);
  if ('server' in order) return requestSession(name, order, url, stop);
  if ('command' in order) return commandSession(name, order, url);
  throw new UsageError(
    `The session ${name} must be a function, or have a module, a command or a server.`,
  );
}

const nothing = async () => undefined;

function functionSession(run: SessionFunction, url: string): RunnableSession {
  const start = async (given: Given) => run(given);
  return {
    isLocal: true,
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
    isLocal: false,
    makeReady: end,
    end,
    async run() {
      child = new KeptChild(['/bin/sh', '-c', command], {
        cwd: callersFolder(),
        settings: { DATABASE_URL: url },
      });
      const how = await child.ended;
      const said = child.said.trim();
      if (how === 'exit code 0') return said;
      throw new PlainError(`${name} ended with ${how}: ${oneLine(said, LONGEST_LINE)}`);
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
    return { status, body };
  });
}

const HOST = 'dist/module-host.js';

function moduleSession(
  name: string,
  { module, call = 'default', with: given }: SessionModule,
  url: string,
  stop: AbortSignal,
): RunnableSession {
  const file = module instanceof URL || module.startsWith('file:') ? fileURLToPath(module) : module;
  const words = [process.execPath, ...process.execArgv, inProject(HOST), file, call];
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
    isLocal: false,
    async makeReady() {
      if (copy?.isIdle) return;
      await copy?.end();
      copy = await Copy.start(order, stop);
    },
    run: () => ask(copy as Copy),
    async end() {
      await copy?.end();
    },
  };
}
