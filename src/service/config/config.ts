import path from 'node:path';
import { environmentWith } from '../../platform/process/environment.ts';
import { UsageError } from '../../platform/process/errors.ts';
import type { LogLevel } from '../../platform/process/log.ts';
import { type AuthSettings, asksForTokens, authSettings } from './auth.ts';
import { checkSettings, type Settings, settingNames } from './settings.ts';

export interface Config {
  host: string;
  port: number;
  /** Undefined means the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** The address of the same database without the pooler. Undefined if there is no such address. */
  directUrl: string | undefined;
  /** The mode of the pooler at `databaseUrl`. Undefined means session mode or no pooler. */
  pooler: 'transaction' | undefined;
  /** Whether a start applies missing migrations. */
  migrates: boolean;
  /** The directory where the embedded PostgreSQL keeps its data between runs. */
  dataDir: string;
  /** Workshop mode: whether the lab's routes exist. */
  lab: boolean;
  logLevel: LogLevel;
  /** How many hours an idempotency key is remembered. */
  keyHours: number;
  /** How many minutes an offer of a waitlist lasts, unless the company chooses another time. */
  offerMinutes: number;
  /** How many days an event is kept. */
  eventDays: number;
  /** How many tasks the worker of this process runs at the same time. 0 means no worker. */
  places: number;
  /** The name of the worker for people. Undefined means a new name for each process. */
  workerName: string | undefined;
  /** The port on which a worker process answers /healthz, /readyz and /metrics. */
  workerPort: number;
  /** How many hours a done or cancelled task is kept. */
  taskHours: number;
  auth: AuthSettings;
  scraping: ScrapingSettings;
  /** Web pages of these origins may use the service. */
  corsOrigins: string[];
  /**
   * How many requests a caller may send each minute, and how many invalid tokens a network may
   * send. 0 means no limit.
   */
  rateLimit: number;
  /** Whether webhooks may go to endpoints on this machine. Such endpoints may use plain http. */
  webhookLoopback: boolean;
  /** Where the workshop finds Redis. */
  redis: StoreSettings;
  /** Where the workshop finds etcd. */
  etcd: StoreSettings;
}

/** How a scraper without an admin's token gets the metrics. */
export interface ScrapingSettings {
  /** With this token, a request may read the metrics, and nothing else. */
  token: string | undefined;
  /** A second port for the metrics, on which nobody needs a token. Undefined if there is none. */
  port: number | undefined;
  /** The address on which the second port listens. */
  host: string;
}

/** A store beside PostgreSQL: its address, or the program to start if there is no address. */
export interface StoreSettings {
  url: string | undefined;
  /** A path, or a name on the PATH. */
  program: string;
}

/** Twenty requests a second. No person sends more requests by hand. */
const DEFAULT_RATE_LIMIT = 1_200;

/**
 * Makes the environment for a server that this process starts. The server gets these settings and
 * none of the settings of this process. All other settings get an empty value, because an empty
 * value also hides a setting of a `.env` file. The server ends when this process ends.
 */
export const environmentOf = (settings: Record<string, string>): NodeJS.ProcessEnv =>
  environmentWith({
    ...Object.fromEntries(settingNames.map((name) => [name, ''])),
    ROWLOCK_PARENT: String(process.pid),
    ...settings,
  });

/**
 * Reads the settings from the environment. A file `.env` in the working directory may give settings
 * that the environment lacks. An empty value counts as not set.
 *
 * Throws a `UsageError` that names each wrong setting, but never its value.
 */
export function readConfig(build?: Build): Config {
  try {
    process.loadEnvFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new UsageError(`The file .env cannot be read (${code}).`);
  }
  return parseConfig(environmentWith({}), build);
}

export interface Build {
  /** False if the lab was left out of the build. */
  hasLab: boolean;
}

export function parseConfig(
  env: Record<string, string | undefined>,
  { hasLab }: Build = { hasLab: true },
): Config {
  const settings = checkSettings(env);
  const { DATABASE_URL, DATABASE_POOLER, LAB } = settings;
  if (settings.MIGRATE === 'off' && DATABASE_URL === undefined)
    throw new UsageError(
      'MIGRATE=off needs DATABASE_URL. Nobody else can migrate the embedded PostgreSQL.',
    );
  if (DATABASE_POOLER !== undefined && DATABASE_URL === undefined)
    throw new UsageError('DATABASE_POOLER describes DATABASE_URL, which is not set.');
  if (settings.DATABASE_URL_DIRECT !== undefined && DATABASE_URL === undefined)
    throw new UsageError(
      'DATABASE_URL_DIRECT leads past the pooler at DATABASE_URL, which is not set.',
    );
  if (DATABASE_POOLER !== undefined && LAB === 'on')
    throw new UsageError(
      'LAB=on contradicts DATABASE_POOLER=transaction. The lab needs sessions of its own.',
    );
  if (!hasLab && LAB === 'on')
    throw new UsageError('LAB=on needs the lab, and this build was made without the lab.');
  // The embedded database is for trying Rowlock. A database at DATABASE_URL may be in production.
  const trying = DATABASE_URL === undefined ? 'on' : 'off';
  const auth = authSettings(settings);
  return {
    host: settings.HOST,
    port: settings.PORT,
    databaseUrl: DATABASE_URL,
    directUrl: settings.DATABASE_URL_DIRECT,
    pooler: DATABASE_POOLER,
    migrates: settings.MIGRATE === 'on',
    dataDir: path.resolve(settings.DATA_DIR),
    lab: hasLab && (LAB ?? trying) === 'on',
    logLevel: settings.LOG_LEVEL,
    keyHours: settings.KEY_HOURS,
    offerMinutes: settings.OFFER_MINUTES,
    eventDays: settings.EVENT_DAYS,
    places: settings.WORKERS,
    workerName: settings.WORKER_NAME,
    workerPort: settings.WORKER_PORT,
    taskHours: settings.TASK_HOURS,
    auth,
    scraping: scrapingSettings(settings, auth),
    corsOrigins: settings.CORS_ORIGINS,
    // Without tokens all requests count for one caller, so one client could use up the limit of all
    // clients.
    rateLimit: settings.RATE_LIMIT ?? (asksForTokens(auth) ? DEFAULT_RATE_LIMIT : 0),
    webhookLoopback: (settings.WEBHOOK_LOOPBACK ?? trying) === 'on',
    redis: { url: settings.REDIS_URL, program: settings.REDIS_SERVER_PATH },
    etcd: { url: settings.ETCD_URL, program: settings.ETCD_PATH },
  };
}

function scrapingSettings(env: Settings, auth: AuthSettings): ScrapingSettings {
  const { METRICS_TOKEN: token, METRICS_PORT: port, METRICS_HOST: host } = env;
  if (token !== undefined && !asksForTokens(auth))
    throw new UsageError(
      'METRICS_TOKEN protects nothing, because the service requires no tokens. ' +
        'Set AUTH_JWKS_URL or AUTH_JWT_SECRET, or unset METRICS_TOKEN.',
    );
  return { token, port, host };
}
