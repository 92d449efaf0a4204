import path from 'node:path';
import { z } from 'zod';
import { isDatabaseUrl } from './db/hosts.ts';
import { type AuthSettings, asksForTokens } from './http/auth/settings.ts';
import { DEFAULT_HOME } from './postgres/home.ts';
import { UsageError } from './process/errors.ts';
import { type LogLevel, logLevels } from './process/log.ts';

export interface Config {
  host: string;
  port: number;
  /** Undefined means the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** Leads past a pooler to the same database. Undefined if `databaseUrl` is the only address. */
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
  /** How many requests a caller may send each minute. 0 means no limit. */
  rateLimit: number;
  /** Whether the endpoints of webhooks may be on this machine, and there be reached by plain http. */
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
  /** The metrics have a port of their own too, where nobody needs a token. */
  port: number | undefined;
  /** The address of that port. */
  host: string;
}

/** A store beside PostgreSQL: its address, or the program that is started if there is no address. */
export interface StoreSettings {
  url: string | undefined;
  /** A path, or a name on the PATH. */
  program: string;
}

/** One year. */
const LONGEST_HOURS = 8_760;
/** Ten years. */
const LONGEST_EVENT_DAYS = 3_650;
/** Each running task may need a socket and some memory. */
const MOST_PLACES = 1_000;

/** This is twenty requests a second. No person sends more by hand. */
const DEFAULT_RATE_LIMIT = 1_200;
const LEAST_SECRET_BYTES = 32;

const wholePort = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().max(65_535));

const port = (usual: number) => wholePort.default(usual);

const duration = (usual: number, longest: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(longest))
    .default(usual);

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port(3000),
  DATABASE_URL: z.string().refine(isDatabaseUrl).optional(),
  DATABASE_URL_DIRECT: z.string().refine(isDatabaseUrl).optional(),
  DATABASE_POOLER: z.enum(['transaction']).optional(),
  MIGRATE: z.enum(['on', 'off']).default('on'),
  DATA_DIR: z.string().default(DEFAULT_HOME),
  LAB: z.enum(['on', 'off']).optional(),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  KEY_HOURS: duration(24, LONGEST_HOURS),
  EVENT_DAYS: duration(30, LONGEST_EVENT_DAYS),
  WORKERS: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().max(MOST_PLACES))
    .default(4),
  WORKER_NAME: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .optional(),
  // README sends people whose port 3000 is in use to port 3001. So 3001 is not free for this.
  WORKER_PORT: port(3010),
  TASK_HOURS: duration(24, LONGEST_HOURS),
  AUTH: z.enum(['off']).optional(),
  AUTH_JWKS_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isWithoutPassword)
    .optional(),
  AUTH_JWT_SECRET: z
    .string()
    .refine((secret) => Buffer.byteLength(secret) >= LEAST_SECRET_BYTES)
    .optional(),
  AUTH_AUDIENCE: z.string().optional(),
  AUTH_ISSUER: z.string().optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/-]{16,}=*$/)
    .optional(),
  METRICS_PORT: wholePort.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .pipe(z.array(z.string().refine(isOrigin)))
    .default([]),
  RATE_LIMIT: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .optional(),
  WEBHOOK_LOOPBACK: z.enum(['on', 'off']).optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  REDIS_SERVER_PATH: z.string().default('redis-server'),
  ETCD_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isWithoutPassword)
    .optional(),
  ETCD_PATH: z.string().default('etcd'),
});

/**
 * Whether the text is an origin as browsers write it: no path, not even "/", and no default port.
 */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Whether the URL has neither a user name nor a password. `fetch` refuses URLs that have them. */
function isWithoutPassword(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username + password === '';
}

const MUST_BE_URL =
  'must look like postgres://user:password@host:5432/database, or have several hosts with commas. ' +
  'In a password write / ? # @ % as %2F %3F %23 %40 %25. Such an address may end with ' +
  '?sslmode=verify-full and with target_session_attrs=primary';

const mustBe: Record<keyof z.infer<typeof environment>, string> = {
  HOST: 'HOST must be an address or a host name, such as 127.0.0.1',
  PORT: 'PORT must be a whole number from 0 to 65535 (0: any free port)',
  DATABASE_URL: `DATABASE_URL ${MUST_BE_URL}`,
  DATABASE_URL_DIRECT: `DATABASE_URL_DIRECT ${MUST_BE_URL}`,
  DATABASE_POOLER: 'DATABASE_POOLER must be transaction, or not be set',
  MIGRATE: 'MIGRATE must be on or off',
  DATA_DIR: 'DATA_DIR must be a directory',
  LAB: 'LAB must be on or off',
  LOG_LEVEL: `LOG_LEVEL must be one of ${logLevels.join(', ')}`,
  EVENT_DAYS: `EVENT_DAYS must be a whole number from 1 to ${LONGEST_EVENT_DAYS}`,
  KEY_HOURS: `KEY_HOURS must be a whole number from 1 to ${LONGEST_HOURS}`,
  WORKERS: `WORKERS must be a whole number from 0 to ${MOST_PLACES} (0: no worker)`,
  WORKER_NAME: 'WORKER_NAME must have 1 to 100 of these characters: a-z A-Z 0-9 _ . : -',
  WORKER_PORT: 'WORKER_PORT must be a whole number from 0 to 65535 (0: any free port)',
  TASK_HOURS: `TASK_HOURS must be a whole number from 1 to ${LONGEST_HOURS}`,
  AUTH: 'AUTH must be off, or not be set',
  AUTH_JWKS_URL: 'AUTH_JWKS_URL must look like https://login.example/.well-known/jwks.json',
  AUTH_JWT_SECRET: `AUTH_JWT_SECRET must have at least ${LEAST_SECRET_BYTES} bytes`,
  AUTH_AUDIENCE: 'AUTH_AUDIENCE must be the aud of the tokens',
  AUTH_ISSUER: 'AUTH_ISSUER must be the iss of the tokens',
  METRICS_TOKEN: 'METRICS_TOKEN must have at least 16 of these characters: a-z A-Z 0-9 - . _ ~ + /',
  METRICS_PORT: 'METRICS_PORT must be a whole number from 0 to 65535 (0: any free port)',
  METRICS_HOST: 'METRICS_HOST must be an address or a host name, such as 127.0.0.1',
  CORS_ORIGINS: 'CORS_ORIGINS must look like https://jobs.example,http://localhost:5173',
  RATE_LIMIT: 'RATE_LIMIT must be a whole number of requests a minute (0: any number)',
  WEBHOOK_LOOPBACK: 'WEBHOOK_LOOPBACK must be on or off',
  REDIS_URL: 'REDIS_URL must look like redis://localhost:6379',
  REDIS_SERVER_PATH: 'REDIS_SERVER_PATH must be the path of redis-server',
  ETCD_URL: 'ETCD_URL must look like http://localhost:2379',
  ETCD_PATH: 'ETCD_PATH must be the path of etcd',
};

export const settingNames = Object.keys(environment.shape);
export const defaultSettings: Record<string, unknown> = environment.parse({});

/**
 * Reads the variables that npm or another Rowlock process sets for the processes that it starts.
 */
export const starterVariables = () => {
  const { ROWLOCK_PARENT: parent, npm_lifecycle_event: script } = process.env;
  return { parent, script, agent: process.env.npm_config_user_agent };
};

/** Whether the terminal only adds text, and knows no commands such as to clear the screen. */
export const isDumbTerminal = (): boolean => process.env.TERM === 'dumb';

/** The folders in which the system looks for programs. */
export const programFolders = (): string => process.env.PATH ?? '';

/** Our environment with these settings added, for a program that is not ours. */
export const environmentWith = (settings: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...settings,
});

/** The folder in which a person stands. npm runs each script in the project's folder. */
export const callersFolder = (): string => process.env.INIT_CWD || process.cwd();

/**
 * The environment for a server that this process starts. The server gets these settings and none of
 * the settings of this process. An empty value also hides a setting of a `.env` file. The server
 * ends when this process ends.
 */
export const environmentOf = (settings: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
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
export function readConfig(): Config {
  try {
    process.loadEnvFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new UsageError(`The file .env cannot be read (${code}).`);
  }
  return parseConfig(process.env);
}

export function parseConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const names = new Set(parsed.error.issues.map((issue) => issue.path[0] as keyof typeof mustBe));
    throw new UsageError([...names].map((name) => `${mustBe[name]}.`).join('\n'));
  }
  const { HOST, PORT, DATABASE_URL, DATABASE_POOLER, DATA_DIR, LAB, CORS_ORIGINS, RATE_LIMIT } =
    parsed.data;
  if (parsed.data.MIGRATE === 'off' && DATABASE_URL === undefined)
    throw new UsageError(
      'MIGRATE=off needs DATABASE_URL. Nobody else can migrate the embedded PostgreSQL.',
    );
  if (DATABASE_POOLER !== undefined && DATABASE_URL === undefined)
    throw new UsageError('DATABASE_POOLER describes DATABASE_URL, which is not set.');
  if (parsed.data.DATABASE_URL_DIRECT !== undefined && DATABASE_URL === undefined)
    throw new UsageError(
      'DATABASE_URL_DIRECT leads past the pooler at DATABASE_URL, which is not set.',
    );
  if (DATABASE_POOLER !== undefined && LAB === 'on')
    throw new UsageError(
      'LAB=on contradicts DATABASE_POOLER=transaction. The lab needs sessions of its own.',
    );
  // The embedded database is for trying Rowlock. A database at DATABASE_URL may be in production.
  const trying = DATABASE_URL === undefined ? 'on' : 'off';
  const auth = authSettings(parsed.data);
  return {
    host: HOST,
    port: PORT,
    databaseUrl: DATABASE_URL,
    directUrl: parsed.data.DATABASE_URL_DIRECT,
    pooler: DATABASE_POOLER,
    migrates: parsed.data.MIGRATE === 'on',
    dataDir: path.resolve(DATA_DIR),
    lab: (LAB ?? trying) === 'on',
    logLevel: parsed.data.LOG_LEVEL,
    keyHours: parsed.data.KEY_HOURS,
    eventDays: parsed.data.EVENT_DAYS,
    places: parsed.data.WORKERS,
    workerName: parsed.data.WORKER_NAME,
    workerPort: parsed.data.WORKER_PORT,
    taskHours: parsed.data.TASK_HOURS,
    auth,
    scraping: scrapingSettings(parsed.data, auth),
    corsOrigins: CORS_ORIGINS,
    // Without tokens all requests count for one caller, so one client could use up the limit of all
    // clients.
    rateLimit: RATE_LIMIT ?? (asksForTokens(auth) ? DEFAULT_RATE_LIMIT : 0),
    webhookLoopback: (parsed.data.WEBHOOK_LOOPBACK ?? trying) === 'on',
    redis: { url: parsed.data.REDIS_URL, program: parsed.data.REDIS_SERVER_PATH },
    etcd: { url: parsed.data.ETCD_URL, program: parsed.data.ETCD_PATH },
  };
}

/** Throws a `UsageError` if settings contradict each other. */
function authSettings(env: z.infer<typeof environment>): AuthSettings {
  const { AUTH, AUTH_JWKS_URL: url, AUTH_JWT_SECRET: secret, AUTH_AUDIENCE, AUTH_ISSUER } = env;
  const checks = { audience: AUTH_AUDIENCE, issuer: AUTH_ISSUER };
  if (AUTH === 'off' && (url ?? secret) !== undefined)
    throw new UsageError(
      'AUTH=off contradicts AUTH_JWKS_URL and AUTH_JWT_SECRET. Unset AUTH, or unset the others.',
    );
  if (url !== undefined && secret !== undefined)
    throw new UsageError(
      'AUTH_JWKS_URL and AUTH_JWT_SECRET exclude each other. Unset one of them.',
    );
  if (url !== undefined) return { kind: 'jwks', url, ...checks };
  if (secret !== undefined) return { kind: 'secret', secret, ...checks };
  if ((AUTH_AUDIENCE ?? AUTH_ISSUER) !== undefined)
    throw new UsageError(
      'AUTH_AUDIENCE and AUTH_ISSUER are checked in tokens, but the service requires no tokens. ' +
        'Set AUTH_JWKS_URL or AUTH_JWT_SECRET, or unset AUTH_AUDIENCE and AUTH_ISSUER.',
    );
  return { kind: AUTH === 'off' ? 'off' : 'loopback' };
}

function scrapingSettings(env: z.infer<typeof environment>, auth: AuthSettings): ScrapingSettings {
  const { METRICS_TOKEN: token, METRICS_PORT: port, METRICS_HOST: host } = env;
  if (token !== undefined && !asksForTokens(auth))
    throw new UsageError(
      'METRICS_TOKEN protects nothing, because the service requires no tokens. ' +
        'Set AUTH_JWKS_URL or AUTH_JWT_SECRET, or unset METRICS_TOKEN.',
    );
  return { token, port, host };
}
