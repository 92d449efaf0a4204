import Knex from 'knex-0.95.11';
import { migrateWith } from './migrate-with-knex.mjs';

export default migrateWith(Knex);
