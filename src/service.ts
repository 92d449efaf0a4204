import { type AppDeps, CLAIM_LIMITS, createApp } from './app.ts';
import { longestAnswer } from './claims/admission.ts';
import { type Connection, connect } from './db/client.ts';
import { createLab, LAB_CONNECTIONS, LAB_LIMITS } from './lab/http.ts';
import type { Trace } from './lab/trace.ts';
import { type Listening, listen } from './listen.ts';

/** Longer than any answer takes. */
const DRAIN_MS = Math.max(longestAnswer(CLAIM_LIMITS), longestAnswer(LAB_LIMITS)) + 1_000;

export interface ServiceOptions extends Pick<AppDeps, 'auth' | 'corsOrigins' | 'rateLimit'> {
  /** A database that is migrated already. */
  databaseUrl: string;
  host: string;
  /** 0: any free port. */
  port: number;
  lab: boolean;
  log: AppDeps['log'];
  /** Records what the lab's strategies do. */
  trace?: Trace;
}

export interface Service {
  url: string;
  /** Refuses new requests, lets the running ones end, and closes the connections. */
  stop(): Promise<void>;
}

/** The whole service over a database, listening. Throws a `PlainError` when it cannot listen. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { databaseUrl, host, port, lab, log, trace, auth, corsOrigins, rateLimit } = options;
  const pool = connect(databaseUrl);
  const labPool = lab
    ? connect(databaseUrl, { connections: LAB_CONNECTIONS, open: trace?.open })
    : undefined;
  const close = (connection: Connection | undefined) => connection?.close();

  let draining = false;
  const isDraining = () => draining;
  const app = createApp({ db: pool.db, isDraining, log, auth, corsOrigins, rateLimit });
  if (labPool) app.route('/lab', createLab(labPool.db, log, trace?.around));
  // Pools open no connection before the first query, so a failure leaves nothing to close.
  const listening: Listening = await listen(app, host, port);
  return {
    url: listening.url,
    async stop() {
      draining = true;
      await listening.drain(DRAIN_MS);
      await Promise.all([pool, labPool].map(close));
    },
  };
}

/** One line of JSON a log event, on stderr. */
export const logToStderr = (event: Record<string, unknown>) =>
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
