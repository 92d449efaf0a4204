import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { environmentOf } from '../config.ts';
import { buildProgram, programOf } from '../process/build.ts';
import { PlainError } from '../process/errors.ts';
import { inTime } from '../waiting/deadline.ts';

/** A server or a worker of the service in a process of its own. */
export interface ServerProcess {
  url: string;
  pid: number;
  /** False if the process has ended for any reason. */
  isRunning(): boolean;
  /** Resolves when the process has ended for any reason. */
  gone: Promise<void>;
  /** The first 20 warnings and errors on stderr, from the log or from Node. */
  complaints: string[];
  /**
   * Sends SIGKILL, so the server ends in the middle of its work. Resolves when the process is gone.
   */
  kill(): Promise<void>;
}

/** How long a program may take until it listens. */
const START_PATIENCE_MS = 90_000;

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
 * Starts a program of the service, and waits until its output names the address. Undefined if the
 * program ends before that, or takes too long.
 */
export async function startProcess(
  entry: string,
  address: RegExp,
  settings: Record<string, string>,
): Promise<ServerProcess | undefined> {
  const child = spawn(process.execPath, programOf(await buildProgram(entry)), {
    env: environmentOf({ HOST: '127.0.0.1', ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'close').then(() => undefined);
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  const complaints = complaintsOf(child);
  const url = await inTime(listening(child, address), START_PATIENCE_MS, () => undefined);
  if (url === undefined || child.pid === undefined) {
    await kill();
    return undefined;
  }
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return { url, pid: child.pid, isRunning, gone, complaints, kill };
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

/** The address that the program prints. Undefined if the program ends before that. */
async function listening(child: ChildProcess, address: RegExp): Promise<string | undefined> {
  let said = '';
  return new Promise((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said = said.slice(-1_000) + text;
      const [, url] = said.match(address) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => resolve(undefined));
  });
}
