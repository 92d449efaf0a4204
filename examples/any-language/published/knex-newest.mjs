import Knex from 'knex';
import { migrateWith } from './migrate-with-knex.mjs';

export default migrateWith(Knex);
