import { prepareDatabase } from '../src/db/migrate.ts';
import { runMain } from '../src/process/main.ts';
import { print } from '../src/process/print.ts';
import { databaseUrlOrExplain } from './database-url.ts';

runMain(async () => {
  await prepareDatabase(databaseUrlOrExplain('seed'), { demoData: true });
  print('The database has demo data now, or already had companies.\n');
  return 0;
});
