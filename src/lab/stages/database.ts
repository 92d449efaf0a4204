import { prepareDatabase } from '../../db/migrate.ts';
import { chapters } from '../chapters/index.ts';
import { timeMigrations } from '../explore/time.ts';

/** Makes the tables of production and of all chapters. The database must be a scratch database. */
export const prepareLabDatabase = (url: string) =>
  prepareDatabase(url, { more: [timeMigrations, ...chapters.map(({ migrations }) => migrations)] });
