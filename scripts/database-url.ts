import { readConfig } from '../src/config.ts';
import { UsageError } from '../src/process/errors.ts';

/** Reads DATABASE_URL, or the address that leads past its pooler. Throws a `UsageError` if it is not set. */
export function databaseUrlOrExplain(command: string): string {
  const { databaseUrl, directUrl = databaseUrl } = readConfig();
  if (directUrl !== undefined) return directUrl;
  throw new UsageError(
    `npm run ${command} works on the server at DATABASE_URL, which is not set. ` +
      'The embedded PostgreSQL of npm start does not need this command.',
  );
}
