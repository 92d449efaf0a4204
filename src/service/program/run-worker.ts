import { readConfig } from '../config.ts';
import { startDatabase } from '../db/start.ts';
import { databaseName } from '../db/unusable.ts';
import { refuseOpenDoor } from '../http/auth/settings.ts';
import { UsageError } from '../process/errors.ts';
import { openLog, startLine } from '../process/log.ts';
import { unlessStopped, whenStopped } from '../process/main.ts';
import { print } from '../process/print.ts';
import type { TasksOptions } from './tasks.ts';
import { startWorkerService } from './worker-service.ts';

/** The program behind `npm run worker`. Returns the exit code. Tests give kinds of their own. */
export async function runWorker(stop: AbortSignal, kinds?: TasksOptions['kinds']): Promise<number> {
  const config = readConfig();
  const { databaseUrl, host, workerPort: port, places, auth, logLevel } = config;
  if (databaseUrl === undefined)
    throw new UsageError(
      'npm run worker works on the server at DATABASE_URL, which is not set. With the embedded ' +
        'PostgreSQL, npm start has a worker of its own.',
    );
  if (places === 0)
    throw new UsageError('npm run worker needs WORKERS to be at least 1. Here WORKERS is 0.');
  refuseOpenDoor(host, auth);
  const { migrates } = config;
  const place = { ...config, databaseUrl };
  await unlessStopped(stop, startDatabase(place, { migrates, stop, say: warn }));
  const log = openLog(logLevel);
  const service = await startWorkerService({ ...config, databaseUrl, port, log, kinds, stop });
  log.info(startLine('worker'));
  const { name } = service.worker;
  say(`Worker "${name}" runs up to ${places} tasks at the same time (set by WORKERS).`);
  say(`Database: ${databaseName(databaseUrl)}`);
  say(`Health and metrics: ${service.url}/readyz and ${service.url}/metrics`);
  if (service.metricsUrl)
    say(`Metrics: ${service.metricsUrl}/metrics, open to all who reach this port`);
  say('Ctrl-C stops it.');
  const failure = await Promise.race([whenStopped(stop), service.failed]);
  if (failure === undefined) say('Stopping. Running tasks may end. No new task begins.');
  else warn(failure);
  await service.stop();
  if (failure !== undefined) return 1;
  say('Stopped.');
  return 0;
}

const say = (line: string) => print(`${line}\n`);
const warn = (line: string) => print(`${line}\n`, process.stderr);
