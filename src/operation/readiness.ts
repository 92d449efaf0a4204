import type { Database } from '../db/client.ts';
import { missingMigrations } from '../db/migrate.ts';
import type { Problem } from '../problem.ts';
import { shuttingDown } from '../problems.ts';

/** An answer later than this helps no one: the balancer in front asks every few seconds. */
const PATIENCE_MS = 1_000;

export const databaseUnreachable = {
  status: 503,
  code: 'database-unreachable',
  title: 'Database not reachable',
  detail: 'The database has not answered within a second.',
} as const satisfies Problem;

export const migrationsMissing = {
  status: 503,
  code: 'migrations-missing',
  title: 'Migrations missing',
  detail: 'The database does not have every migration of this version: npm run migrate.',
} as const satisfies Problem;

type Look = 'fine' | 'incomplete' | 'unreachable';

/** Tells why this server should get no requests, or undefined when it may. */
export function createReadiness(db: Database, isDraining: () => boolean) {
  let running: Promise<Look> | undefined;
  // Whoever asks meanwhile gets the same look, so that askers cannot pile up on a stuck database.
  const look = () => {
    running ??= lookAt(db).finally(() => {
      running = undefined;
    });
    return inTime(running);
  };
  return async () => {
    if (isDraining()) return shuttingDown;
    const found = await look();
    if (found === 'unreachable') return databaseUnreachable;
    return found === 'incomplete' ? migrationsMissing : undefined;
  };
}

async function lookAt(db: Database): Promise<Look> {
  try {
    return (await missingMigrations(db)).length === 0 ? 'fine' : 'incomplete';
  } catch {
    return 'unreachable';
  }
}

async function inTime(look: Promise<Look>): Promise<Look> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Look>((resolve) => {
    timer = setTimeout(() => resolve('unreachable'), PATIENCE_MS);
  });
  try {
    return await Promise.race([look, late]);
  } finally {
    clearTimeout(timer);
  }
}
