import { rmSync } from 'node:fs';
import { startEmbedded } from './embedded.ts';
import { openHome } from './home.ts';
import { stopServerOf } from './postmaster.ts';

export interface DurablePostgres {
  url: string;
  /** Stops it `immediate`, as a crash would, and starts it again on the same data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * An embedded PostgreSQL whose data is thrown away at the end, and yet safe on disk at each commit, as
 * in production: a throw-away server would not wait for the disk.
 */
export async function startDurable(signal: AbortSignal): Promise<DurablePostgres> {
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
