import { z } from 'zod';
import { isDatabaseUrl } from '../../platform/db/hosts.ts';
import { DEFAULT_HOME } from '../../platform/postgres/home.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { logLevels } from '../../platform/process/log.ts';

/** One year, in hours. */
const LONGEST_HOURS = 8_760;
/** Ten years, in days. */
const LONGEST_EVENT_DAYS = 3_650;
/** Six days, in minutes. The setting has at most four digits. */
const LONGEST_OFFER_MINUTES = 8_640;
/** The maximum number of tasks at the same time. Each task may need a socket and some memory. */
const MOST_PLACES = 1_000;

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
  OFFER_MINUTES: duration(15, LONGEST_OFFER_MINUTES),
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
  // If port 3000 is in use, the documentation suggests port 3001. So 3001 is not the default here.
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
 * Returns whether the text is an origin as browsers write it: no path, not even "/", and no default
 * port.
 */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/**
 * Returns whether the URL has neither a user name nor a password. `fetch` refuses URLs with a user
 * name or a password.
 */
function isWithoutPassword(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username + password === '';
}

const MUST_BE_URL =
  'must look like postgres://user:password@host:5432/database, or have several hosts with commas. ' +
  'In a password write / ? # @ % as %2F %3F %23 %40 %25. Such an address may end with ' +
  '?sslmode=verify-full and with target_session_attrs=primary';

const mustBe: Record<keyof Settings, string> = {
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
  OFFER_MINUTES: `OFFER_MINUTES must be a whole number from 1 to ${LONGEST_OFFER_MINUTES}`,
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

/** The checked settings, by the names of their environment variables. */
export type Settings = z.output<typeof environment>;

export const settingNames = Object.keys(environment.shape);
export const defaultSettings: Record<string, unknown> = environment.parse({});

/**
 * Checks the settings of an environment. An empty value counts as not set. Throws a `UsageError`
 * that names each wrong setting, but never its value.
 */
export function checkSettings(env: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (parsed.success) return parsed.data;
  const names = new Set(parsed.error.issues.map(({ path: [name] }) => name as keyof Settings));
  throw new UsageError([...names].map((name) => `${mustBe[name]}.`).join('\n'));
}
