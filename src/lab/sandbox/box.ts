import type { Socket } from 'node:net';
import { changed, databaseIn } from '../../db/hosts.ts';
import { oneConnection } from '../../db/one-connection.ts';
import { openScratch } from '../../postgres/scratch.ts';
import { EVERYBODYS_PARAMETERS, Stage } from '../explore/stage.ts';
import { limitMemory } from './memory.ts';
import { closeRole, dropRole, dropRolesLeft, makeRole } from './role.ts';
import { Watch } from './watch.ts';

/** A database and a role for one run, with a stage. Nothing of them is left after `close`. */
export interface Box {
  stage: Stage;
  watch: Watch;
  close(): Promise<void>;
}

/** Opens a box for each run, and closes it after the run. */
export class Boxes {
  readonly #databaseUrl: string;
  readonly #open = new Set<Promise<Box>>();
  readonly #running = new Set<Promise<unknown>>();

  /** `databaseUrl` is the address of a superuser of the service's PostgreSQL. */
  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /** Runs the work in a new box for this number of sessions. */
  async use<T>(sessions: number, work: (box: Box) => Promise<T>): Promise<T> {
    const running = this.#use(sessions, work);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Closes all boxes, even those in use. */
  async close() {
    for (const opened of this.#open)
      void opened.then(({ close }) => close()).catch(() => undefined);
    await Promise.allSettled(this.#running);
  }

  async #use<T>(sessions: number, work: (box: Box) => Promise<T>): Promise<T> {
    const opened = openBox(this.#databaseUrl, sessions);
    this.#open.add(opened);
    try {
      return await work(await opened);
    } finally {
      this.#open.delete(opened);
      const box = await opened.catch(() => undefined);
      await box?.close();
    }
  }
}

/** Settings of the sessions. A student may not call SET, so these settings stay. */
const PARAMETERS = {
  ...EVERYBODYS_PARAMETERS,
  search_path: 'public',
  // Parallel workers are shared by the whole server, and have no limit of memory.
  max_parallel_workers_per_gather: 0,
  max_parallel_maintenance_workers: 0,
  jit: 'off',
  // The database is thrown away, so no commit need be durable.
  synchronous_commit: 'off',
  work_mem: '4MB',
  maintenance_work_mem: '8MB',
};

/**
 * Opens a box for experiments with this number of sessions. `databaseUrl` is the service's address,
 * of a superuser. This account makes the database and the role. Once the student's role is in the
 * database, the account does not enter the database again.
 */
export async function openBox(databaseUrl: string, sessions: number): Promise<Box> {
  const keeper = oneConnection(databaseUrl, {});
  const closing: (() => PromiseLike<unknown>)[] = [() => keeper.end({ timeout: 5 })];
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= inReverse(closing);
    return closed;
  };
  try {
    await dropRolesLeft(keeper);
    const scratch = await openScratch(databaseUrl);
    const name = databaseIn(scratch.url);
    closing.push(() => dropRole(keeper, name));
    closing.push(() => scratch.stop());
    const url = await urlOfRole(scratch.url, name);
    const sockets: Socket[] = [];
    const onSocket = (socket: Socket) => void sockets.push(socket);
    const settings = { parameters: PARAMETERS, oneStatement: true, onSocket };
    const stage = new Stage(url, { keeperUrl: databaseUrl, settings });
    closing.push(() => stage.close());
    await Promise.all([limitMemory(stage.admin, name), openSessions(stage, sessions, name)]);
    await closeRole(keeper, name);
    const watch = new Watch(databaseUrl, name, sockets);
    closing.push(() => watch.close());
    return { stage, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address of the database for its new role. The role has the name of the database. */
async function urlOfRole(scratchUrl: string, name: string): Promise<string> {
  const owner = oneConnection(scratchUrl, {});
  try {
    const { password } = await makeRole(owner, name);
    return changed(scratchUrl, (url) => {
      url.username = name;
      url.password = password;
    });
  } finally {
    await owner.end({ timeout: 5 });
  }
}

/** Opens all sessions of the run, since the role may not connect later. */
async function openSessions(stage: Stage, count: number, name: string) {
  const sessions = await stage.sessions(count);
  await Promise.all(sessions.map(({ session }) => limitMemory(session, name)));
}

/** Calls all functions, the last function first. Throws the first error at the end. */
async function inReverse(acts: (() => PromiseLike<unknown>)[]) {
  const failed: unknown[] = [];
  for (const act of acts.reverse()) {
    try {
      await act();
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
}
