import { withoutConcurrently } from '../../db/apply.ts';
import { prepareDatabase, tableOf } from '../../db/migrate.ts';
import { production, readMigrations } from '../../db/migrations.ts';
import { chapters } from '../chapters/index.ts';
import { timeMigrations } from '../explore/time.ts';

/** Makes the tables of production and of all chapters. The database must be a scratch database. */
export const prepareLabDatabase = (url: string) => prepareDatabase(url, { more: ofLab() });

const ofLab = () => [timeMigrations, ...chapters.map(({ migrations }) => migrations)];

/** The same tables as SQL, for a database that another program uses. */
export function labSchema(): string {
  const migrations = [production, ...ofLab().map(tableOf)].flatMap(readMigrations);
  const statements = migrations.flatMap((each) => each.statements.map(withoutConcurrently));
  return ['begin', ...statements, 'commit']
    .map((statement) => `${statement.trim().replace(/;$/, '')};\n`)
    .join('\n');
}
