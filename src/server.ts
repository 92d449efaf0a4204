import { setTimeout as sleep } from 'node:timers/promises';
import { pagesMount } from './pages/http.ts';
import { databaseName } from './platform/db/unusable.ts';
import { startEmbedded } from './platform/postgres/embedded.ts';
import { runCommand } from './platform/process/command.ts';
import { openLog, startLine } from './platform/process/log.ts';
import { logStop } from './platform/process/log-stop.ts';
import { stopOf, TERMINATED, unlessStopped, whenStopped } from './platform/process/main.ts';
import { print } from './platform/process/print.ts';
import { QUEUE_LIMITS } from './service/claims/limits.ts';
import { type AuthSettings, asksForTokens, refuseOpenDoor } from './service/config/auth.ts';
import { type Config, readConfig } from './service/config/config.ts';
import { startDatabase } from './service/database/start.ts';
import { type Service, startService } from './service/program/service.ts';

/**
 * The time in which load balancers can notice the shutdown. Some load balancers request /readyz
 * every few seconds, and notice the shutdown there. Other load balancers notice an answer with
 * status 503, and then use another server.
 */
const NOTICE_MS = 2_000;

const SETTINGS =
  'Settings are environment variables, such as PORT=3001. docs/operations.md lists them.';

/** The lab. Undefined if `npm run build -- --without-lab` built this program. */
const lab = await import('./lab/of-server.ts').catch((error: Error) => {
  // The message names the missing module first. It may also be a module that the lab imports.
  if (!/^Cannot find module '[^']*of-server\.ts'/.test(error.message)) throw error;
  return undefined;
});

const command = {
  name: 'start',
  purpose: 'Starts the service, and serves until it is stopped.',
  ...(lab && { options: lab.options }),
  notes: [lab?.NOTES, SETTINGS].filter(Boolean).join('\n\n'),
};

runCommand(command, async (given, stop) => {
  const config = readConfig({ hasLab: lab !== undefined });
  refuseOpenDoor(config.host, config.auth);
  const own = lab?.ownCode(given, config);
  const database = await openDatabase(config, stop);
  let ended = () => {};
  let code = 0;
  try {
    const demoData = config.databaseUrl === undefined;
    const { url, name } = database;
    const place = { ...config, databaseUrl: url };
    const { migrates } = config;
    await unlessStopped(stop, startDatabase(place, { demoData, name, migrates, stop, say: warn }));
    const log = openLog(config.logLevel);
    const service = await startService({
      ...config,
      databaseUrl: url,
      databaseName: name,
      mounts: [pagesMount(config), ...(config.lab && lab ? [lab.labMount({ own })] : [])],
      log,
      stop,
    });
    log.info(startLine('server'));
    greet(service, database, config, own && lab?.sayOwn(own, service.url));
    const failure = await Promise.race([whenStopped(stop), database.failed, service.failed]);
    ended = logStop(log, 'server', stop, failure);
    if (failure === undefined)
      say('Stopping. The server lets running claims and tasks finish, and refuses new claims.');
    // Print the failure before the stop, because the stop waits for the running requests.
    else warn(failure);
    // Only a stop by SIGTERM waits for load balancers. Tools that run many servers send SIGTERM. A
    // person presses Ctrl-C, which sends SIGINT, and does not want to wait. No second server can
    // use the embedded PostgreSQL, so there is no load balancer to wait for.
    const isTerminated = stop.aborted && stopOf(stop).code === TERMINATED;
    const hasNotice = isTerminated && config.databaseUrl !== undefined;
    await service.stop(hasNotice ? sleep(NOTICE_MS) : undefined);
    if (failure === undefined) say('Stopped.');
    else code = 1;
  } finally {
    await database.stop();
  }
  ended();
  return code;
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

function greet(
  { url, sockets, worker, metricsUrl }: Service,
  { name }: OpenDatabase,
  { lab: isOn, auth }: Config,
  own: string | undefined,
) {
  say(`Rowlock listens on ${url}`);
  say(`Job board: ${url}/`);
  say(`Database: ${name}`);
  say(`Access: ${door[auth.kind]}`);
  // The queue accepts `QUEUE_LIMITS.waiting` claims, and each waiting claim needs its own
  // connection.
  if (sockets < QUEUE_LIMITS.waiting)
    say(`Connections: at most ${sockets}, since this process may open few files (see ulimit -n)`);
  if (metricsUrl) say(`Metrics: ${metricsUrl}/metrics, open to all who reach this port`);
  say(`Workers: ${inWords(worker)}`);
  const off = lab ? 'off (LAB=on turns it on)' : 'not in this build';
  say(`Workshop mode: ${isOn ? `on, see ${url}/lab` : off}`);
  if (own) say(own);
  const token = asksForTokens(auth) ? '-H "Authorization: Bearer $TOKEN" ' : '';
  say(`Try: curl ${token}'${url}/claim-job?jobId=1&recruiterId=1'`);
  say('Ctrl-C stops it.');
}

const inWords = (worker: Service['worker']): string =>
  worker
    ? `"${worker.name}" runs up to ${worker.places} tasks at the same time (set by WORKERS)`
    : 'none in this process, since WORKERS=0';

const say = (line: string) => print(`${line}\n`);
const warn = (line: string) => print(`${line}\n`, process.stderr);
