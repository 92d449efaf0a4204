import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { buildProgram, programOf } from '../../src/platform/process/build.ts';
import { Child } from '../../src/platform/process/child.ts';
import { PlainError } from '../../src/platform/process/errors.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { addressOf, startServiceProgram } from '../service-program.ts';
import type { FollowOrder } from './load/follow.ts';
import type { Heard, Order } from './load/load.ts';
import type { ReceiveReport } from './load/receive-process.ts';
import type { Peers } from './queue/peers.ts';
import type { ToolName, ToolOrder, ToolReport } from './queue/tool.ts';

/** The bench compares two ways to claim. Each way has its own server program. */
const PROGRAMS = { textbook: 'proof/bench/textbook.ts', group: 'src/server.ts' } as const;
export type Side = keyof typeof PROGRAMS;

export interface Server {
  origin: string;
  pid: number;
  stop(): Promise<void>;
}

/** The servers' settings that differ from the defaults, except the address of the database. */
export const SERVER_SETTINGS = { HOST: '127.0.0.1', PORT: '0' };

/** The maximum time for the end of a server. The last answers take less than half of this time. */
const STOP_MS = 60_000;

/**
 * Starts the server program of this side on a migrated database. Resolves when the server listens.
 * Throws a `PlainError` if the server ends before that.
 */
export async function startServer(
  side: Side,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<Server> {
  const server = await startServiceProgram(PROGRAMS[side], {
    ...SERVER_SETTINGS,
    ...settings,
    DATABASE_URL: databaseUrl,
  });
  const origin = await addressOf(server, /listens on (http:\/\/[^\s"]+)/);
  if (origin === undefined)
    throw new PlainError(`A server did not start. Its output: ${server.said}`);
  const stop = () => server.stop(STOP_MS);
  return { origin, pid: server.process.pid as number, stop };
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
  const { ended } = new Child(child);
  const died = ended.then((): Failed => ({ failed: `the process of ${name} ended` }));
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
  startWorker<Order, { heard: Heard[] }>('proof/bench/load/load-process.ts');
export const startFollowers = () =>
  startWorker<FollowOrder, { toldMs: number[] }>('proof/bench/load/follow-process.ts');

export type Receiver = Worker<object, ReceiveReport>;

/** Starts a receiver of webhooks. The receiver answers every order with a report. */
export const startReceiver = (): Receiver => startWorker('proof/bench/load/receive-process.ts');

/** A process of one of the compared queues. */
export type ToolProcess = Worker<ToolOrder, ToolReport>;

/**
 * Starts a process of a queue. All queues, including ours, run on the Node that the other queues
 * need.
 */
export async function startTool(name: ToolName, { node, folder }: Peers): Promise<ToolProcess> {
  const [option = '', program = ''] = programOf(
    await buildProgram('proof/bench/queue/tool-process.ts'),
  );
  return obeying(name, fork(program, [name, folder], { execPath: node, execArgv: [option] }));
}
