import { databaseName } from '../../platform/db/unusable.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { openLog, startLine } from '../../platform/process/log.ts';
import { logStop } from '../../platform/process/log-stop.ts';
import { unlessStopped, whenStopped } from '../../platform/process/main.ts';
import { print } from '../../platform/process/print.ts';
import { refuseOpenDoor } from '../config/auth.ts';
import { readConfig } from '../config/config.ts';
import { startDatabase } from '../database/start.ts';
import type { TasksOptions } from './tasks.ts';
import { startWorkerService } from './worker-service.ts';

/**
 * Runs the program of `npm run worker` until it is stopped or the worker fails. Returns the exit
 * code. Tests pass their own kinds of tasks.
 */
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
  const ended = logStop(log, 'worker', stop, failure);
  if (failure === undefined)
    say('Stopping. The worker lets running tasks finish, and starts no new task.');
  else warn(failure);
  await service.stop();
  ended();
  if (failure !== undefined) return 1;
  say('Stopped.');
  return 0;
}

const say = (line: string) => print(`${line}\n`);
const warn = (line: string) => print(`${line}\n`, process.stderr);
