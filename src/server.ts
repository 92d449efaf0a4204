import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUE_LIMITS } from './claims/limits.ts';
import { type Config, readConfig } from './config.ts';
import { prepareDatabase } from './db/migrate.ts';
import { refuseSharedSessions } from './db/pooler.ts';
import { databaseName } from './db/unusable.ts';
import { type AuthSettings, asksForTokens, refuseOpenDoor } from './http/auth/settings.ts';
import { startEmbedded } from './postgres/embedded.ts';
import { openLog } from './process/log.ts';
import { runMain, unlessStopped, whenStopped } from './process/main.ts';
import { printsHelp } from './process/options.ts';
import { print } from './process/print.ts';
import { type Service, startService } from './service/service.ts';

/**
 * The reason of a stop by SIGTERM. Only this stop waits for `NOTICE_MS`. Tools that run many
 * servers send SIGTERM. A person presses Ctrl-C, which sends SIGINT, and does not want to wait.
 */
const TERMINATED = 128 + constants.signals.SIGTERM;
/**
 * The time in which load balancers can notice the shutdown. They request /readyz every few seconds,
 * or use another server after an answer 503.
 */
const NOTICE_MS = 2_000;

const HELP = `Starts the service, and serves until it is stopped.

Usage: npm start

  --help             show this

Settings are environment variables, such as PORT=3001. docs/operations.md lists them.
`;

runMain(async (stop) => {
  if (printsHelp('start', HELP)) return 0;
  const config = readConfig();
  refuseOpenDoor(config.host, config.auth);
  const database = await openDatabase(config, stop);
  try {
    const demoData = config.databaseUrl === undefined;
    const { url, name } = database;
    await unlessStopped(stop, prepareDatabase(url, { demoData, name }));
    if (config.pooler === undefined) await unlessStopped(stop, refuseSharedSessions(url));
    const log = openLog(config.logLevel);
    const service = await startService({ ...config, databaseUrl: url, databaseName: name, log });
    greet(service, database, config);
    const failure = await Promise.race([whenStopped(stop), database.failed, service.failed]);
    if (failure === undefined) say('Stopping. Running claims finish, and new claims are refused.');
    // Print the failure now, because the running requests may still need some time.
    else print(`${failure}\n`, process.stderr);
    await service.stop(stop.reason === TERMINATED ? sleep(NOTICE_MS) : undefined);
    if (failure !== undefined) return 1;
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
  const name = databaseName(databaseUrl);
  return { url: databaseUrl, name, failed: new Promise(() => undefined), stop: async () => {} };
}

/** The start message uses these words to say who may use the service. */
const door = {
  loopback: 'open to all on this machine (set AUTH_JWKS_URL or AUTH_JWT_SECRET to require tokens)',
  off: 'OPEN TO ALL who reach it, since AUTH=off',
  secret: 'with a token signed with AUTH_JWT_SECRET',
  jwks: 'with a token signed with a key from AUTH_JWKS_URL',
} as const satisfies Record<AuthSettings['kind'], string>;

function greet({ url, sockets, worker }: Service, { name }: OpenDatabase, { lab, auth }: Config) {
  say(`Rowlock listens on ${url}`);
  say(`Job board: ${url}/`);
  say(`Database: ${name}`);
  say(`Access: ${door[auth.kind]}`);
  // The queue accepts `QUEUE_LIMITS.waiting` claims, and each waiting claim needs its own
  // connection.
  if (sockets < QUEUE_LIMITS.waiting)
    say(`Connections: at most ${sockets}, since this process may open few files (see ulimit -n)`);
  say(`Workers: ${inWords(worker)}`);
  say(`Workshop mode: ${lab ? `on, see ${url}/lab` : 'off (LAB=on turns it on)'}`);
  const token = asksForTokens(auth) ? '-H "Authorization: Bearer $TOKEN" ' : '';
  say(`Try: curl ${token}'${url}/claim-job?jobId=1&recruiterId=1'`);
  say('Ctrl-C stops it.');
}

const inWords = (worker: Service['worker']): string =>
  worker
    ? `"${worker.name}" runs up to ${worker.places} tasks at the same time (set by WORKERS)`
    : 'none in this process, since WORKERS=0';

const say = (line: string) => print(`${line}\n`);
