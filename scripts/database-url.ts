import { UsageError } from '../src/platform/process/errors.ts';
import { readConfig } from '../src/service/config/config.ts';

/**
 * Returns the address that leads past a pooler. If there is no such address, returns DATABASE_URL.
 * Throws a `UsageError` if no address is set.
 */
export function databaseUrlOrExplain(command: string): string {
  const { databaseUrl, directUrl = databaseUrl } = readConfig();
  if (directUrl !== undefined) return directUrl;
  throw new UsageError(
    `npm run ${command} works on the server at DATABASE_URL, which is not set. ` +
      'The embedded PostgreSQL of npm start does not need this command.',
  );
}
