import { rmSync } from 'node:fs';
import { startEmbedded } from '../db/embedded.ts';
import { openHome } from '../db/home.ts';
import { stopServerOf } from '../db/postmaster.ts';

/** A PostgreSQL for the faults. */
export interface FaultyPostgres {
  url: string;
  /** Stops it `immediate`, as a crash would, and starts it again on the same data and port. */
  restart?(): Promise<void>;
  stop(): Promise<void>;
}

/** The server at this address, which is somebody's and is never stopped; or one of our own. */
export async function openFaulty(
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<FaultyPostgres> {
  return databaseUrl === undefined
    ? startFaulty(signal)
    : { url: databaseUrl, stop: async () => {} };
}

/**
 * Its data is kept between two starts and so safe on disk at each commit, as in production; a
 * throw-away server would not wait for the disk.
 */
async function startFaulty(signal: AbortSignal): Promise<FaultyPostgres> {
  const { home } = openHome(undefined);
  const remove = () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  try {
    let server = await startEmbedded(home, signal);
    const { url } = server;
    return {
      url,
      async restart() {
        await stopServerOf(home, 'SIGQUIT');
        await server.stop();
        server = await startEmbedded(home, undefined, Number(new URL(url).port));
      },
      async stop() {
        await server.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
