import { z } from 'zod';
import { databaseOfCommand } from '../src/platform/db/alone.ts';
import type { Database } from '../src/platform/db/client.ts';
import { isDatabaseUrl } from '../src/platform/db/hosts.ts';
import { databaseName, unusable } from '../src/platform/db/unusable.ts';
import { startEmbedded } from '../src/platform/postgres/embedded.ts';
import { hasData } from '../src/platform/postgres/home.ts';
import { json, runCommand } from '../src/platform/process/command.ts';
import { PlainError } from '../src/platform/process/errors.ts';
import { plainTable } from '../src/platform/process/plain-table.ts';
import { print } from '../src/platform/process/print.ts';
import { readConfig } from '../src/service/config/config.ts';
import { type Diagnosis, diagnose, diagnoseUnserved } from '../src/service/operation/doctor.ts';
import { paint } from './paint.ts';

const command = {
  name: 'doctor',
  purpose: 'Checks a database for errors, and repairs nothing.',
  about: `Checks the database at DATABASE_URL. Without DATABASE_URL it checks the embedded database
in DATA_DIR, whose server must not be running. There the doctor first removes expired
rows, as the server would do.`,
  options: {
    url: {
      value: 'URL',
      type: z.string().refine(isDatabaseUrl, 'must look like postgres://…'),
      words: 'check this PostgreSQL database',
    },
    json,
  },
  notes: 'Exit code: 0 if all is well, 1 if something is wrong, 2 if the check could not run.',
  // The exit code 1 always means that something is wrong in the database.
  failureCode: 2,
};

runCommand(command, async (given, stop) => {
  const diagnosis = await examine(given.url, stop);
  print(`${given.json ? JSON.stringify(diagnosis) : inWords(diagnosis)}\n`);
  return diagnosis.healthy ? 0 : 1;
});

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
  const { db, close } = databaseOfCommand(url, 'rowlock doctor');
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
