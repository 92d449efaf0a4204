import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../main.ts';
import { SUPERUSER } from './cluster.ts';
import type { GuardOrder, GuardReport } from './guard.ts';

export interface EmbeddedPostgres {
  /** The address with its password: for clients, never for a log. */
  url: string;
  /** The directory that holds the data. */
  home: string;
  /** Resolves with the reason if the server ends without being asked to. */
  failed: Promise<string>;
  /** Resolves when the server has ended and a throw-away directory is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL from the installed binaries, on a free loopback port: with its data kept
 * in `keepIn`, or thrown away at the end when that is undefined.
 *
 * It ends with this process, however that ends; see `guard.ts`.
 */
export async function startEmbedded(keepIn?: string): Promise<EmbeddedPostgres> {
  const guard = fork(fileURLToPath(new URL('./guard.ts', import.meta.url)), {
    detached: true,
    // Found from this file, since the working directory may be anywhere.
    execArgv: ['--import', createRequire(import.meta.url).resolve('tsx')],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(guard, 'exit');
  guard.send({ keepIn } satisfies GuardOrder);

  const first = await Promise.race([nextReport(guard), ended.then(() => 'its guard ended')]);
  if (typeof first === 'string') throw new PlainError(`No embedded PostgreSQL: ${first}`);
  guard.unref();
  guard.channel?.unref();
  return {
    url: `postgres://${SUPERUSER}:${first.password}@127.0.0.1:${first.port}/postgres`,
    home: first.home,
    failed: Promise.race([nextReport(guard), ended.then(() => 'its guard ended')]).then(String),
    async stop() {
      if (guard.connected) guard.disconnect();
      guard.ref();
      if (guard.exitCode === null && guard.signalCode === null) await ended;
    },
  };
}

/** The next thing that the guard says: that the server is ready, or why it is not. */
async function nextReport(guard: ChildProcess) {
  const [report] = (await once(guard, 'message')) as [GuardReport];
  return report.kind === 'ready' ? report : report.message;
}
