import { prepareDatabase } from '../src/db/migrate.ts';
import { runMain } from '../src/process/main.ts';
import { printsHelp } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { databaseUrlOrExplain } from './database-url.ts';

const HELP = `Applies the migrations that the database at DATABASE_URL lacks.

Usage: npm run migrate

  --help             show this
`;

runMain(async () => {
  if (printsHelp('migrate', HELP)) return 0;
  await prepareDatabase(databaseUrlOrExplain('migrate'));
  print('The database has the newest schema.\n');
  return 0;
});
