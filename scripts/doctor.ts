import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { databaseAlone } from '../src/db/alone.ts';
import type { Database } from '../src/db/client.ts';
import { isDatabaseUrl } from '../src/db/hosts.ts';
import { databaseName, unusable } from '../src/db/unusable.ts';
import { type Diagnosis, diagnose, diagnoseUnserved } from '../src/operation/doctor.ts';
import { startEmbedded } from '../src/postgres/embedded.ts';
import { hasData } from '../src/postgres/home.ts';
import { PlainError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions } from '../src/process/options.ts';
import { plainTable } from '../src/process/plain-table.ts';
import { print } from '../src/process/print.ts';
import { paint } from './paint.ts';

const HELP = `Checks a database for errors, and repairs nothing.

Usage: npm run doctor [-- OPTIONS]

Checks the database at DATABASE_URL. Without DATABASE_URL it checks the embedded database
in DATA_DIR, whose server must not be running. There the doctor first removes expired
rows, as the server would do.

  --url URL          check this PostgreSQL database
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

Exit code: 0 if all is well, 1 if something is wrong, 2 if the check could not run.
`;

const rules = z.object({
  url: z.string().refine(isDatabaseUrl, '--url must look like postgres://…').optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/**
 * The exit code if the check could not run. The exit code 1 always means that something is wrong in
 * the database.
 */
const FAILED = 2;

runMain(async (stop) => {
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('doctor', rules, {
    options: { url: { type: 'string' }, json: flag, help: flag },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const diagnosis = await examine(options.url, stop);
  print(`${options.json ? JSON.stringify(diagnosis) : inWords(diagnosis)}\n`);
  return diagnosis.healthy ? 0 : 1;
}, FAILED);

async function examine(given: string | undefined, stop: AbortSignal): Promise<Diagnosis> {
  const { databaseUrl, directUrl, dataDir, ...ages } = readConfig();
  const url = given ?? directUrl ?? databaseUrl;
  if (url !== undefined) return onDatabase(url, (db) => diagnose(db));
  if (!hasData(dataDir))
    throw new PlainError('There is no embedded database yet. Run npm start, or give --url.');
  const embedded = await startEmbedded(dataDir, stop);
  try {
    return await onDatabase(embedded.url, (db) => diagnoseUnserved(db, ages));
  } finally {
    await embedded.stop();
  }
}

async function onDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const { db, close } = databaseAlone(url, { application_name: 'rowlock doctor' });
  try {
    return await work(db);
  } catch (error) {
    throw unusable(databaseName(url), error);
  } finally {
    await close();
  }
}

function inWords({ healthy, findings, skipped, notes }: Diagnosis): string {
  const rows = findings.map(({ check, total, examples }) => [
    total === 0 ? paint('green', 'ok') : paint('red', 'wrong'),
    total,
    check,
    examples[0],
  ]);
  const table = plainTable(['', 'found', 'what', 'the first'], rows, [1]);
  const more = findings.flatMap(({ check, total, examples }) => {
    const shown = total > examples.length ? `, the first ${examples.length}` : '';
    return total < 2 ? [] : [`\n${check}${shown}:`, ...examples.map((each) => `  ${each}`)];
  });
  const left = skipped.length === 0 ? [] : [`\nNot checked: ${skipped.join('; ')}.`];
  const verdict = healthy ? 'All is well.' : 'Something is wrong.';
  return [table, ...more, ...left, ...notes.map((note) => `\n${note}`), '', verdict].join('\n');
}
