import { timeMigrations } from '../../explorer/time.ts';
import { prepareDatabase } from '../../service/database/migrate.ts';
import { chapters } from '../chapters/index.ts';

/** Makes the tables of production and of all chapters. The database must be a scratch database. */
export const prepareLabDatabase = (url: string) =>
  prepareDatabase(url, { more: [timeMigrations, ...chapters.map(({ migrations }) => migrations)] });
