import path from 'node:path';
import { z } from 'zod';
import { DEFAULT_HOME } from './db/home.ts';
import { UsageError } from './errors.ts';

export interface Config {
  host: string;
  port: number;
  /** Undefined: the embedded PostgreSQL serves. */
  databaseUrl: string | undefined;
  /** Where the embedded PostgreSQL keeps its data between runs. */
  dataDir: string;
  /** Workshop mode: the lab's routes exist. */
  lab: boolean;
}

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
});

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
};

export const settingNames = Object.keys(environment.shape);

/** Whether `npm start` or `npm run` started this process. */
export const startedByNpm = (): boolean => process.env.npm_lifecycle_event !== undefined;

/**
 * The environment for a process of ours that has these settings and the defaults of all others: an
 * empty value also keeps one in a `.env` from being taken.
 */
export const environmentWith = (settings: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(settingNames.map((name) => [name, ''])),
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
  const { HOST, PORT, DATABASE_URL, DATA_DIR, LAB } = parsed.data;
  return {
    host: HOST,
    port: PORT,
    databaseUrl: DATABASE_URL,
    dataDir: path.resolve(DATA_DIR),
    // The embedded database holds nothing but demo data; somebody's own may be in production.
    lab: (LAB ?? (DATABASE_URL === undefined ? 'on' : 'off')) === 'on',
  };
}
