import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrationsFolder, prepareDatabase } from '../../db/migrate.ts';
import { chapters } from '../chapters/index.ts';
import { timeMigrations } from '../explore/time.ts';

/** Makes the tables of production and of all chapters. The database must be a scratch database. */
export const prepareLabDatabase = (url: string) => prepareDatabase(url, { more: ofLab() });

const ofLab = () => [timeMigrations, ...chapters.map(({ migrations }) => migrations)];

/** The same tables as SQL, for a database that another program uses. */
export function labSchema(): string {
  const migrations = [migrationsFolder, ...ofLab()].flatMap((folder) =>
    readMigrationFiles({ migrationsFolder: folder }),
  );
  return ['begin', ...migrations.flatMap(({ sql }) => sql), 'commit']
    .map((statement) => `${statement.trim().replace(/;$/, '')};\n`)
    .join('\n');
}
