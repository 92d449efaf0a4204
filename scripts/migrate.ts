import { prepareDatabase } from '../src/db/migrate.ts';
import { runMain } from '../src/process/main.ts';
import { print } from '../src/process/print.ts';
import { databaseUrlOrExplain } from './database-url.ts';

runMain(async () => {
  await prepareDatabase(databaseUrlOrExplain('migrate'));
  print('The database has the newest schema.\n');
  return 0;
});
