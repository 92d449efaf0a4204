import path from 'node:path';
import { z } from 'zod';
import { type AuthSettings, asksForTokens } from './http/auth/settings.ts';
import { DEFAULT_HOME } from './postgres/home.ts';
import { UsageError } from './process/errors.ts';
import { type LogLevel, logLevels } from './process/log.ts';

export interface Config {
  host: string;
  port: number;
  /** Undefined: the embedded PostgreSQL serves. */
  databaseUrl: string | undefined;
  /** Where the embedded PostgreSQL keeps its data between runs. */
  dataDir: string;
  /** Workshop mode: the lab's routes exist. */
  lab: boolean;
  logLevel: LogLevel;
  /** How long an idempotency key is remembered. */
  keyHours: number;
  auth: AuthSettings;
  /** The web pages of other origins that may use the service. */
  corsOrigins: string[];
  /** Requests a minute and caller; 0: any number. */
  rateLimit: number;
}

/** A year. */
const LONGEST_KEY_HOURS = 8_760;

/** Beyond twenty requests a second it is no person who claims. */
const DEFAULT_RATE_LIMIT = 1_200;
const LEAST_SECRET_BYTES = 32;

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .pipe(z.number().max(65_535))
    .default(3000),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .refine(isUsable)
    .optional(),
  DATA_DIR: z.string().default(DEFAULT_HOME),
  LAB: z.enum(['on', 'off']).optional(),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  KEY_HOURS: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(LONGEST_KEY_HOURS))
    .default(24),
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
});

/** As a browser names it: without a path, not even "/", nor a port that goes without saying. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** fetch takes no other. */
function isWithoutPassword(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username + password === '';
}

/** What the driver makes of a URL: it decodes all but the path, and would take `a,b` for two hosts. */
function isUsable(url: string): boolean {
  try {
    const { username, password, host } = new URL(url);
    decodeURIComponent(username + password + host);
    return !host.includes(',');
  } catch {
    return false;
  }
}

const mustBe: Record<keyof z.infer<typeof environment>, string> = {
  HOST: 'HOST must be an address or a host name, such as 127.0.0.1',
  PORT: 'PORT must be a whole number from 0 to 65535 (0: any free port)',
  DATABASE_URL: 'DATABASE_URL must look like postgres://user:password@host:5432/database',
  DATA_DIR: 'DATA_DIR must be a directory',
  LAB: 'LAB must be on or off',
  LOG_LEVEL: `LOG_LEVEL must be one of ${logLevels.join(', ')}`,
  KEY_HOURS: `KEY_HOURS must be a whole number from 1 to ${LONGEST_KEY_HOURS}`,
  AUTH: 'AUTH must be off, or not be set',
  AUTH_JWKS_URL: 'AUTH_JWKS_URL must look like https://login.example/.well-known/jwks.json',
  AUTH_JWT_SECRET: `AUTH_JWT_SECRET must have at least ${LEAST_SECRET_BYTES} bytes`,
  AUTH_AUDIENCE: 'AUTH_AUDIENCE must be the aud of the tokens',
  AUTH_ISSUER: 'AUTH_ISSUER must be the iss of the tokens',
  CORS_ORIGINS: 'CORS_ORIGINS must look like https://jobs.example,http://localhost:5173',
  RATE_LIMIT: 'RATE_LIMIT must be a whole number of requests a minute (0: any number)',
};

export const settingNames = Object.keys(environment.shape);
export const defaultSettings: Record<string, unknown> = environment.parse({});

/** The variables by which npm, or a process of ours, says that it started this process. */
export const starterVariables = () => {
  const { ROWLOCK_PARENT: parent, npm_lifecycle_event: script } = process.env;
  return { parent, script, agent: process.env.npm_config_user_agent };
};

/**
 * The environment for a server that this process starts: these settings, and none that this process
 * was given itself (an empty value also keeps one in a `.env` from being taken). The server ends when
 * this process does.
 */
export const environmentOf = (settings: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(settingNames.map((name) => [name, ''])),
  ROWLOCK_PARENT: String(process.pid),
  ...settings,
});

/**
 * The settings from the environment, and from a file `.env` in the working directory where the
 * environment says nothing. An empty value counts as none.
 *
 * Throws a `UsageError` that names each setting that is wrong, never its value.
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
  const { HOST, PORT, DATABASE_URL, DATA_DIR, LAB, CORS_ORIGINS, RATE_LIMIT } = parsed.data;
  const auth = authSettings(parsed.data);
  return {
    host: HOST,
    port: PORT,
    databaseUrl: DATABASE_URL,
    dataDir: path.resolve(DATA_DIR),
    // The embedded database holds nothing but demo data; somebody's own may be in production.
    lab: (LAB ?? (DATABASE_URL === undefined ? 'on' : 'off')) === 'on',
    logLevel: parsed.data.LOG_LEVEL,
    keyHours: parsed.data.KEY_HOURS,
    auth,
    corsOrigins: CORS_ORIGINS,
    // Without tokens everybody is one caller, and one would use up the requests of all.
    rateLimit: RATE_LIMIT ?? (asksForTokens(auth) ? DEFAULT_RATE_LIMIT : 0),
  };
}

/** Throws a `UsageError` where the settings contradict each other. */
function authSettings(env: z.infer<typeof environment>): AuthSettings {
  const { AUTH, AUTH_JWKS_URL: url, AUTH_JWT_SECRET: secret, AUTH_AUDIENCE, AUTH_ISSUER } = env;
  const checks = { audience: AUTH_AUDIENCE, issuer: AUTH_ISSUER };
  if (AUTH === 'off' && (url ?? secret) !== undefined)
    throw new UsageError('AUTH=off contradicts AUTH_JWKS_URL and AUTH_JWT_SECRET: unset one.');
  if (url !== undefined && secret !== undefined)
    throw new UsageError('AUTH_JWKS_URL and AUTH_JWT_SECRET exclude each other: unset one.');
  if (url !== undefined) return { kind: 'jwks', url, ...checks };
  if (secret !== undefined) return { kind: 'secret', secret, ...checks };
  if ((AUTH_AUDIENCE ?? AUTH_ISSUER) !== undefined)
    throw new UsageError(
      'AUTH_AUDIENCE and AUTH_ISSUER are checked in tokens, and none are asked for: set ' +
        'AUTH_JWKS_URL or AUTH_JWT_SECRET, or unset them.',
    );
  return { kind: AUTH === 'off' ? 'off' : 'loopback' };
}
