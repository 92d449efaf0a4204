import Knex from 'knex-0.95.12';
import { migrateWith } from './migrate-with-knex.mjs';

export default migrateWith(Knex);
