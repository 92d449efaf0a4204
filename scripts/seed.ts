import { runCommand } from '../src/platform/process/command.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { print } from '../src/platform/process/print.ts';
import { readConfig } from '../src/service/config/config.ts';
import { prepareDatabase } from '../src/service/database/migrate.ts';
import { databaseUrlOrExplain } from './database-url.ts';

const command = {
  name: 'seed',
  purpose: `Adds the demo data to the database at DATABASE_URL if it has no company yet. Also applies
the migrations that the database lacks, unless MIGRATE=off.`,
};

runCommand(command, async (_, stop) => {
  const options = { demoData: true, migrates: readConfig().migrates };
  const added = await unlessStopped(stop, prepareDatabase(databaseUrlOrExplain('seed'), options));
  print(
    added
      ? `Added ${added.companies} companies, ${added.jobs} jobs and ${added.recruiters} recruiters.\n`
      : 'The database has companies already, so no demo data was added.\n',
  );
  return 0;
});
