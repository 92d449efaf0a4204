import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeArray } from '../../platform/db/array-text.ts';
import { databaseIn } from '../../platform/db/hosts.ts';
import type { Rows, Session } from '../../platform/db/session.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../platform/postgres/embedded.ts';
import {
  addDatabase,
  dropAll,
  openScratch,
  type Scratch,
} from '../../platform/postgres/scratch.ts';
import { PlainError, UsageError } from '../../platform/process/errors.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import { DROP_ALL } from '../empty.ts';
import { LAB_TIME, timeMigrations, withLabTime } from '../time.ts';
import { readArrays } from './arrays.ts';
import type { Db } from './types.ts';

/** The embedded server of this process. It starts with the first exploration that needs it. */
let embedded: Promise<EmbeddedPostgres> | undefined;
let databases = 0;

/** The databases of one exploration, one for each lane. */
export interface LaneDatabases {
  urls: readonly string[];
  drop(): Promise<void>;
}

/** Opens empty databases for one exploration. */
export async function openDatabases(
  address: string | undefined,
  count: number,
): Promise<LaneDatabases> {
  try {
    const scratch = await (address === undefined ? openOnEmbedded() : openScratch(address));
    return await withFurther(scratch, count);
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    // The platform names the setting of Rowlock's own commands.
    throw new PlainError(error.message.replaceAll('DATABASE_URL', '`database`'), { cause: error });
  }
}

/** Adds databases until there are `count`. All of them are dropped together. */
async function withFurther({ url, stop }: Scratch, count: number): Promise<LaneDatabases> {
  const urls = [url];
  try {
    while (urls.length < count) urls.push(await addDatabase(url, `lane_${urls.length + 1}`));
    return { urls, drop: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The name of each database ends with a letter, so no name begins with the name of another one. */
async function openOnEmbedded(): Promise<Scratch> {
  embedded ??= startServer();
  const server = await embedded;
  const url = await addDatabase(server.url, `explored_${++databases}x`);
  return { url, stop: () => dropAll(server.url, databaseIn(url)) };
}

/** Starts the embedded server. After a failure, or after its end, the next call starts another. */
function startServer(): Promise<EmbeddedPostgres> {
  const forget = () => {
    embedded = undefined;
  };
  const started = startEmbedded();
  started.then(({ failed }) => failed.then(forget), forget);
  return started;
}

/** Creates the functions of the explorer's clock. */
export async function createClock(admin: Session) {
  const files = readdirSync(timeMigrations).filter((name) => name.endsWith('.sql'));
  for (const file of files.sort())
    await run(admin, readFileSync(path.join(timeMigrations, file), 'utf8'));
}

/** Empties the database. SQL of a person may also have changed the settings of the session. */
export const empty = (admin: Session) => run(admin, `reset all; ${DROP_ALL}; ${USUAL_PATH}`);

/** With `hasLabTime`, the SQL reads the explorer's clock. */
export const dbOf = (admin: Session, hasLabTime = false): Db => ({
  async query(text, params = []) {
    const said = hasLabTime ? withLabTime(text) : text;
    const sent = params.map((each) => (Array.isArray(each) ? writeArray(each) : each));
    return (await readArrays(admin, await run(admin, said, sent))) as never;
  },
});

/** Sets the settings back, and lets the session read the explorer's clock if it has one. */
export const useClock = (admin: Session, hasLabTime: boolean) =>
  run(admin, hasLabTime ? `reset all; set search_path = ${LAB_TIME.search_path}` : 'reset all');

const USUAL_PATH = 'set search_path = public';

/**
 * Does the work of a function of a person. Throws a `UsageError` and closes the session if the work
 * takes too long.
 */
export const bounded = <T>(
  admin: Session,
  what: string,
  ms: number,
  work: Promise<T>,
): Promise<T> =>
  inTime(work, ms, () => {
    void admin.close(0);
    return Promise.reject(new UsageError(`${what} has not ended after ${ms / 1000} s.`));
  });

/** Statements are not prepared, because each schedule makes the types of `setUp` anew. */
const run = (admin: Session, text: string, params: readonly unknown[] = []): Promise<Rows> =>
  admin.run({ text, params: [...params], asArrays: false, isUnprepared: true });
