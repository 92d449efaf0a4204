import { prepareDatabase } from '../../db/migrate.ts';
import { chapters } from '../chapters/index.ts';

/** Makes the tables of production and of all chapters. The database must be a scratch database. */
export const prepareLabDatabase = (url: string) =>
  prepareDatabase(url, { more: chapters.map(({ migrations }) => migrations) });
