import { prepareDatabase } from '../../db/migrate.ts';
import { chapters } from '../chapters/index.ts';
/** Makes the tables of production and of all chapters. The database must be a scratch database. */
import { migrations as q } from '../chapters/queue/tables.ts';
import { migrations as r } from '../chapters/retries/tables.ts';
import { timeMigrations } from '../explore/time.ts';
export const prepareLabDatabase = (url: string) =>
  prepareDatabase(url, {
    more: [timeMigrations, ...chapters.map(({ migrations }) => migrations), q, r],
  });
