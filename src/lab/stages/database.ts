import { prepareDatabase } from '../../db/migrate.ts';
import { migrations } from '../chapters/claims/tables.ts';

/** Makes the tables of production and those of the lab. The database has to be a scratch database. */
export const prepareLabDatabase = (url: string) => prepareDatabase(url, { more: migrations });
