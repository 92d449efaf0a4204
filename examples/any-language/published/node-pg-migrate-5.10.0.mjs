import migrate from 'node-pg-migrate-5.10.0';
import { migrateWith } from './migrate-with-node-pg-migrate.mjs';

export default migrateWith(migrate);
