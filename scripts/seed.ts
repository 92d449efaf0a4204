import { readConfig } from '../src/config.ts';
import { prepareDatabase } from '../src/db/migrate.ts';
import { runMain, unlessStopped } from '../src/process/main.ts';
import { printsHelp } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { databaseUrlOrExplain } from './database-url.ts';

const HELP = `Adds the demo data to the database at DATABASE_URL if it has no company yet. Also applies
the migrations that the database lacks, unless MIGRATE=off.

Usage: npm run seed

  --help             show this
`;

runMain(async (stop) => {
  if (printsHelp('seed', HELP)) return 0;
  const options = { demoData: true, migrates: readConfig().migrates };
  await unlessStopped(stop, prepareDatabase(databaseUrlOrExplain('seed'), options));
  print('The database has demo data now, or already had companies.\n');
  return 0;
});
