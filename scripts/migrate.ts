import { runCommand } from '../src/platform/process/command.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { print } from '../src/platform/process/print.ts';
import { prepareDatabase } from '../src/service/database/migrate.ts';
import { untilPrimary } from '../src/service/database/start.ts';
import { databaseUrlOrExplain } from './database-url.ts';

const command = {
  name: 'migrate',
  purpose: 'Applies the migrations that the database at DATABASE_URL lacks.',
};

runCommand(command, async (_, stop) => {
  const url = databaseUrlOrExplain('migrate');
  const say = (line: string) => print(`${line}\n`, process.stderr);
  await untilPrimary(url, { stop, say });
  await unlessStopped(stop, prepareDatabase(url));
  print('The database has the newest schema.\n');
  return 0;
});
