import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { QUEUE_LIMITS } from './claims/limits.ts';
import { type Config, readConfig } from './config.ts';
import { startDatabase } from './db/start.ts';
import { databaseName } from './db/unusable.ts';
import {
  type AuthSettings,
  asksForTokens,
  isLoopback,
  refuseOpenDoor,
} from './http/auth/settings.ts';
import { chapters } from './lab/chapters/index.ts';
import { YOURS } from './lab/own/messages.ts';
import { assertCanHost, nameOf, type Own, optionOf, shownIn, watchedOf } from './lab/own/own.ts';
import { isProgram, PROGRAM_HELP, programFlags, programOptions } from './lab/programs/options.ts';
import { startEmbedded } from './postgres/embedded.ts';
import { aFile } from './process/callers-file.ts';
import { UsageError } from './process/errors.ts';
import { openLog, startLine } from './process/log.ts';
import { runMain, unlessStopped, whenStopped } from './process/main.ts';
import { readOptions } from './process/options.ts';
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

Usage: npm start -- [options]

  --strategy FILE    show the strategy in a TypeScript file of your own in the lab, as
                     "${YOURS}", anew on each save; only in workshop mode on loopback
${PROGRAM_HELP}
  --chapter NAME     the chapter of the file (default: ${chapters[0].name})
  --help             show this

A program takes the place of the strategy. docs/any-language.md has examples.

Settings are environment variables, such as PORT=3001. docs/operations.md lists them.
`;

const rules = z.object({
  strategy: aFile('strategy').optional(),
  ...programOptions,
  chapter: z.string().optional(),
  help: z.boolean().default(false),
});

runMain(async (stop) => {
  const { options } = readOptions('start', rules, {
    options: {
      strategy: { type: 'string' },
      ...programFlags,
      chapter: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const config = readConfig();
  refuseOpenDoor(config.host, config.auth);
  const own = ownCode(options, config);
  const database = await openDatabase(config, stop);
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
      log,
      own,
      stop,
    });
    log.info(startLine('server'));
    greet(service, database, config, own);
    const failure = await Promise.race([whenStopped(stop), database.failed, service.failed]);
    if (failure === undefined)
      say('Stopping. Running claims and tasks may finish, and new claims are refused.');
    // Print the failure now, because the running requests may still need some time.
    else warn(failure);
    await service.stop(stop.reason === TERMINATED ? sleep(NOTICE_MS) : undefined);
    if (failure !== undefined) return 1;
    say('Stopped.');
  } finally {
    await database.stop();
  }
  return 0;
});

/** The student's code that the lab should show. Throws a `UsageError` if this server must not run it. */
function ownCode(
  { strategy, chapter = chapters[0].name, help, ...program }: z.infer<typeof rules>,
  { lab, host, auth }: Config,
): Own | undefined {
  const isNamed = isProgram(program);
  if (strategy === undefined && !isNamed) return undefined;
  if (strategy !== undefined && isNamed)
    throw new UsageError('Only one of --strategy, --server and --module can be given.');
  const own = strategy === undefined ? { program, chapter } : { file: strategy, chapter };
  const option = optionOf(own);
  if (!lab) throw new UsageError(`${option} needs workshop mode. LAB=on starts this mode.`);
  // Whoever reaches the service could make the code run.
  if (auth.kind !== 'loopback' || !isLoopback(host))
    throw new UsageError(`${option} runs code on this machine, so it works on loopback only.`);
  assertCanHost(own);
  return own;
}

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
  { lab, auth }: Config,
  own: Own | undefined,
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
  say(`Workshop mode: ${lab ? `on, see ${url}/lab` : 'off (LAB=on turns it on)'}`);
  if (own) say(`Your ${sayOwn(own)}, at ${url}/lab?strategy=${shownIn(own)}/${YOURS}`);
  const token = asksForTokens(auth) ? '-H "Authorization: Bearer $TOKEN" ' : '';
  say(`Try: curl ${token}'${url}/claim-job?jobId=1&recruiterId=1'`);
  say('Ctrl-C stops it.');
}

function sayOwn(own: Own): string {
  const what = 'file' in own ? 'strategy' : 'program';
  return `${what}: ${nameOf(own)}${watchedOf(own).length > 0 ? ', anew on each save' : ''}`;
}

const inWords = (worker: Service['worker']): string =>
  worker
    ? `"${worker.name}" runs up to ${worker.places} tasks at the same time (set by WORKERS)`
    : 'none in this process, since WORKERS=0';

const say = (line: string) => print(`${line}\n`);
const warn = (line: string) => print(`${line}\n`, process.stderr);
