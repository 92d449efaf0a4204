import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { PlainError } from '../../src/platform/process/errors.ts';
import { addressOf, startServiceProgram } from '../service-program.ts';

/** A server or a worker of the service in a separate process. */
export interface ServerProcess {
  url: string;
  pid: number;
  /** False if the process has ended for any reason. */
  isRunning(): boolean;
  /** Resolves when the process has ended for any reason. */
  gone: Promise<unknown>;
  /** The first 20 warnings and errors on stderr, from the log or from Node. */
  complaints: string[];
  /**
   * Sends SIGKILL, so the server ends in the middle of its work. Resolves when the process is gone.
   */
  kill(): Promise<void>;
}

/** Starts a server on this port, or on a free port. Resolves when the server listens. */
export async function startServerProcess(
  databaseUrl: string,
  port = 0,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const started = await startProcess('src/server.ts', /listens on (http\S+)/, {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    LAB: 'off',
    ...settings,
  });
  if (started === undefined) throw new PlainError('The server for the faults did not start.');
  return started;
}

/**
 * Starts a program of the service, and waits until its output names the address. Returns undefined
 * if the program ends before that, or takes too long.
 */
export async function startProcess(
  entry: string,
  address: RegExp,
  settings: Record<string, string>,
): Promise<ServerProcess | undefined> {
  const program = await startServiceProgram(entry, settings);
  const complaints = complaintsOf(program.process);
  const url = await addressOf(program, address);
  if (url === undefined) return undefined;
  return {
    url,
    pid: program.process.pid as number,
    isRunning: () => !program.hasEnded,
    gone: program.ended,
    complaints,
    kill: () => program.kill(),
  };
}

const COMPLAINT = /^\{"level":"(warn|error|fatal)"|Warning:|Error:/;
const MOST_COMPLAINTS = 20;

function complaintsOf({ stderr }: ChildProcess): string[] {
  const complaints: string[] = [];
  if (!stderr) return complaints;
  createInterface(stderr).on('line', (line) => {
    if (COMPLAINT.test(line) && complaints.length < MOST_COMPLAINTS) complaints.push(line);
  });
  return complaints;
}
