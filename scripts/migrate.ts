import { prepareDatabase } from '../src/db/migrate.ts';
import { untilPrimary } from '../src/db/start.ts';
import { runMain, unlessStopped } from '../src/process/main.ts';
import { printsHelp } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { databaseUrlOrExplain } from './database-url.ts';

const HELP = `Applies the migrations that the database at DATABASE_URL lacks.

Usage: npm run migrate

  --help             show this
`;

runMain(async (stop) => {
  if (printsHelp('migrate', HELP)) return 0;
  const url = databaseUrlOrExplain('migrate');
  const say = (line: string) => print(`${line}\n`, process.stderr);
  await untilPrimary(url, { stop, say });
  await unlessStopped(stop, prepareDatabase(url));
  print('The database has the newest schema.\n');
  return 0;
});
