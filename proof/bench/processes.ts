import { type ChildProcess, fork, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { environmentOf } from '../config.ts';
import { buildProgram, programOf } from '../process/build.ts';
import { PlainError } from '../process/errors.ts';
import { inProject } from '../process/project.ts';
import type { FollowOrder } from './load/follow.ts';
import type { Heard, Order } from './load/load.ts';
import type { ReceiveReport } from './load/receive-process.ts';
import type { Peers } from './queue/peers.ts';
import type { ToolName, ToolOrder, ToolReport } from './queue/tool.ts';

/** The bench compares two ways to claim. Each way has its own server program. */
const PROGRAMS = { textbook: 'src/bench/textbook.ts', group: 'src/server.ts' } as const;
export type Side = keyof typeof PROGRAMS;

export interface Server {
  origin: string;
  pid: number;
  stop(): Promise<void>;
}

/** The servers' settings that differ from the defaults, except the address of the database. */
export const SERVER_SETTINGS = { HOST: '127.0.0.1', PORT: '0' };

/**
 * Starts the server program of this side on a migrated database. Resolves when the server listens.
 * Throws a `PlainError` if the server ends before that.
 */
export async function startServer(
  side: Side,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<Server> {
  const child = spawn(process.execPath, programOf(await buildProgram(PROGRAMS[side])), {
    env: environmentOf({ ...SERVER_SETTINGS, ...settings, DATABASE_URL: databaseUrl }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const origin = await originOf(child);
  return {
    origin,
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The address that the server prints when it listens. Later output is read and ignored. */
async function originOf({ stdout, stderr }: ChildProcess): Promise<string> {
  let said = '';
  const hear = (text: string) => {
    said += text;
  };
  const streams = [stdout, stderr].filter((stream) => stream !== null);
  for (const stream of streams) stream.setEncoding('utf8').on('data', hear);
  const listens = () => said.match(/listens on (http:\/\/[^\s"]+)/)?.[1];
  for await (const _ of on(stdout as Readable, 'data', { close: ['close'] })) {
    const origin = listens();
    if (origin === undefined) continue;
    for (const stream of streams) stream.off('data', hear).resume();
    return origin;
  }
  throw new PlainError(`A server did not start. Its output: ${said}`);
}

/** A process that carries out one order at a time. */
export interface Worker<Order, Report> {
  /** Throws a `PlainError` if the worker fails or ends. */
  ask(order: Order): Promise<Report>;
  stop(): void;
}

type Failed = { failed: string };

const obeying = <Order extends object, Report extends object>(
  name: string,
  child: ChildProcess,
): Worker<Order, Report> => {
  const died = once(child, 'exit').then((): Failed => ({ failed: `the process of ${name} ended` }));
  const answered = async () => ((await once(child, 'message')) as [Report | Failed])[0];
  return {
    async ask(order) {
      child.send(order);
      const report = await Promise.race([answered(), died]);
      if ('failed' in report) throw new PlainError(`No load could be made: ${report.failed}.`);
      return report;
    },
    stop: () => void child.kill('SIGKILL'),
  };
};

const startWorker = <Order extends object, Report extends object>(file: string) =>
  obeying<Order, Report>(
    file,
    fork(inProject(file), {
      execArgv: ['--import', createRequire(import.meta.url).resolve('tsx')],
    }),
  );

export const startLoader = () =>
  startWorker<Order, { heard: Heard[] }>('src/bench/load/load-process.ts');
export const startFollowers = () =>
  startWorker<FollowOrder, { toldMs: number[] }>('src/bench/load/follow-process.ts');

export type Receiver = Worker<object, ReceiveReport>;

/** Starts a receiver of webhooks. Every order is answered with a report. */
export const startReceiver = (): Receiver => startWorker('src/bench/load/receive-process.ts');

/** A process of one of the compared queues. */
export type ToolProcess = Worker<ToolOrder, ToolReport>;

/** Starts a process of this queue. Every queue runs on the Node that the other queues need. */
export async function startTool(name: ToolName, { node, folder }: Peers): Promise<ToolProcess> {
  const [option = '', program = ''] = programOf(
    await buildProgram('src/bench/queue/tool-process.ts'),
  );
  return obeying(name, fork(program, [name, folder], { execPath: node, execArgv: [option] }));
}
