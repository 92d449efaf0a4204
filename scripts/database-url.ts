import { readConfig } from '../src/config.ts';
import { UsageError } from '../src/process/errors.ts';

/** DATABASE_URL, for commands that need one. */
export function databaseUrlOrExplain(command: string): string {
  const { databaseUrl } = readConfig();
  if (databaseUrl !== undefined) return databaseUrl;
  throw new UsageError(
    `npm run ${command} works on the server at DATABASE_URL, which is not set. ` +
      'The embedded PostgreSQL of npm start does not need this command.',
  );
}
