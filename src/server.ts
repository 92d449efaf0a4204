import { type Config, readConfig } from './config.ts';
import { startEmbedded } from './db/embedded.ts';
import { prepareDatabase } from './db/migrate.ts';
import { PlainError } from './errors.ts';
import { openLog } from './log.ts';
import { runMain, unlessStopped } from './main.ts';
import { type Service, startService } from './service.ts';

runMain(async (stop) => {
  const config = readConfig();
  const database = await openDatabase(config, stop);
  try {
    const demoData = config.databaseUrl === undefined;
    await unlessStopped(stop, prepareDatabase(database.url, { demoData }));
    const log = openLog(config.logLevel);
    const service = await startService({ ...config, databaseUrl: database.url, log });
    greet(service, database, config);
    const failure = await Promise.race([stopped(stop), database.failed]);
    say(failure ?? 'Stopping: running claims finish, new ones are refused.');
    await service.stop();
    if (failure !== undefined) throw new PlainError('Stopped, since the database has ended.');
    say('Stopped.');
  } finally {
    await database.stop();
  }
  return 0;
});

interface OpenDatabase {
  url: string;
  name: string;
  failed: Promise<string>;
  stop(): Promise<void>;
}

async function openDatabase(
  { databaseUrl, dataDir }: Config,
  stop: AbortSignal,
): Promise<OpenDatabase> {
  if (databaseUrl === undefined) {
    const embedded = await startEmbedded(dataDir, stop);
    return { ...embedded, name: `embedded PostgreSQL, kept in ${embedded.home}` };
  }
  const { hostname, port, pathname } = new URL(databaseUrl);
  const name = `PostgreSQL at ${hostname}:${port || 5432}${pathname}`;
  return { url: databaseUrl, name, failed: new Promise(() => undefined), stop: async () => {} };
}

const stopped = (stop: AbortSignal) =>
  new Promise<undefined>((resolve) => {
    if (stop.aborted) resolve(undefined);
    stop.addEventListener('abort', () => resolve(undefined), { once: true });
  });

function greet({ url }: Service, { name }: OpenDatabase, { lab }: Config) {
  say(`Rowlock listens on ${url}`);
  say(`Database: ${name}`);
  say(`Workshop mode: ${lab ? `on, see ${url}/lab/strategies` : 'off (LAB=on turns it on)'}`);
  say(`Try: curl '${url}/claim-job?jobId=1&recruiterId=1'`);
  say('Ctrl-C stops it.');
}

const say = (line: string) => process.stdout.write(`${line}\n`);
