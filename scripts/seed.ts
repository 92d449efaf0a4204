import { prepareDatabase } from '../src/db/migrate.ts';
import { runMain } from '../src/process/main.ts';
import { print } from '../src/process/print.ts';
import { databaseUrlOrExplain } from './database-url.ts';

runMain(async () => {
  await prepareDatabase(databaseUrlOrExplain('seed'), { demoData: true });
  print('The database has demo data, or had companies of its own already.\n');
  return 0;
});
