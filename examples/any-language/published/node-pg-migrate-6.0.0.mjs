import migrate from 'node-pg-migrate-6.0.0';
import { migrateWith } from './migrate-with-node-pg-migrate.mjs';

export default migrateWith(migrate);
