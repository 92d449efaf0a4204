import { onDatabase } from '../audit.ts';
import { openRelay, type Relay } from '../relay.ts';
import { type ServerProcess, startProcess } from '../server-process.ts';

/** The number of worker slots. Most slots wait for the receiver, so they cost little. */
const PLACES = '8';

/** A worker of the service in a separate process. Its connections lead through a relay. */
export interface WorkerProcess extends ServerProcess {
  name: string;
  network: Relay;
}

/**
 * Starts a worker. Each worker has a separate database account with the worker's name, so
 * PostgreSQL knows the process behind every change. Returns undefined if the worker did not start.
 */
export async function startWorkerProcess(
  databaseUrl: string,
  name: string,
): Promise<WorkerProcess | undefined> {
  const network = await openRelay(await makeAccount(databaseUrl, name));
  const process = await startProcess('src/worker.ts', /Health and metrics: (http\S+)\/readyz/, {
    DATABASE_URL: network.url,
    WORKER_NAME: name,
    WORKERS: PLACES,
    WEBHOOK_LOOPBACK: 'on',
    WORKER_PORT: '0',
  });
  if (process) void process.gone.then(network.cut);
  else network.cut();
  return process && { ...process, name, network };
}

/** Makes an account that may do everything. Returns the database's address for this account. */
async function makeAccount(databaseUrl: string, name: string): Promise<string> {
  const url = new URL(databaseUrl);
  url.username = name;
  await onDatabase(databaseUrl, (sql) =>
    sql.unsafe(`CREATE ROLE "${name}" LOGIN SUPERUSER PASSWORD '${url.password}'`),
  );
  return url.href;
}
