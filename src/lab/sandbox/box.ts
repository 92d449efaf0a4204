import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { drizzleDatabases } from '../../explorer/databases.ts';
import { EVERYBODYS_PARAMETERS, Stage } from '../../explorer/stage.ts';
import { LAB_TIME } from '../../explorer/time.ts';
import { openSession, type Session } from '../../platform/db/session.ts';
import { databaseError } from '../../platform/db/sqlstate.ts';
import { Copies, type Copy } from '../../platform/postgres/copies/copies.ts';
import { type TimeLimits, USUAL } from './limits.ts';
import { CLOSE_ROLE, prepareServer, urlOfStudent } from './role.ts';
import { Watch } from './watch.ts';

/** The stage of one run, on a separate PostgreSQL server. `close` removes the server completely. */
export interface Box {
  stage: Stage;
  watch: Watch;
  close(): Promise<void>;
}

/** The limits and the tables of the servers of boxes. */
export interface Ground {
  limits: TimeLimits;
  /**
   * Makes the tables of the lab. The student then makes nothing, so the superuser may safely use
   * these tables. Undefined if the student makes the tables.
   */
  makeTables?: (url: string) => Promise<unknown>;
}

/** Opens a box for each run, and closes it after the run. */
export class Boxes {
  readonly #password = randomBytes(24).toString('hex');
  readonly #ground: Ground;
  readonly #copies = new Copies({ settings: OF_SERVERS, memory: MEMORY }, async (url) => {
    const { makeTables } = this.#ground;
    await makeTables?.(url);
    await prepareServer(url, this.#password, { mayMake: makeTables === undefined });
  });
  readonly #running = new Set<Promise<unknown>>();

  constructor(ground: Ground = { limits: USUAL }) {
    this.#ground = ground;
  }

  get limits(): TimeLimits {
    return this.#ground.limits;
  }

  /** Prepares the first server in the background, so that the first run begins sooner. */
  warmUp() {
    this.#copies.warmUp();
  }

  /**
   * Runs the work in a new box for this number of sessions. The student writes the tables of
   * `schema` without its name. Throws a `NoCopy` if there can be no server for the box.
   */
  async use<T>(sessions: number, work: (box: Box) => Promise<T>, schema?: string): Promise<T> {
    const running = this.#use(sessions, work, schema);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Opens a box with this number of sessions. */
  async open(sessions: number, schema?: string): Promise<Box> {
    const copy = await this.#copies.open();
    const url = urlOfStudent(copy.url, this.#password);
    const isOwn = this.#ground.makeTables === undefined;
    return openBox({ copy, url, isOwn, schema }, sessions, this.limits.statement);
  }

  /** Ends all servers, even servers in use. */
  async close() {
    await this.#copies.close();
    await Promise.allSettled(this.#running);
  }

  async #use<T>(sessions: number, work: (box: Box) => Promise<T>, schema?: string): Promise<T> {
    const box = await this.open(sessions, schema);
    try {
      return await work(box);
    } finally {
      await box.close();
    }
  }
}

/**
 * The settings of the servers. Each server has a handful of sessions and lives for seconds. So it
 * uses as little memory as possible, and starts no optional background processes.
 */
const OF_SERVERS = [
  'max_connections = 16',
  'shared_buffers = 16MB',
  'min_wal_size = 2MB',
  'max_wal_size = 32MB',
  'wal_recycle = off',
  'wal_level = minimal',
  'max_wal_senders = 0',
  'max_worker_processes = 0',
  'max_logical_replication_workers = 0',
  'autovacuum = off',
  'io_method = sync',
  // The password of the student's role is random, so more rounds of hashing would protect nothing.
  'scram_iterations = 1',
  // Shared memory is in files of the data folder. So a killed server leaves no shared memory
  // elsewhere.
  'dynamic_shared_memory_type = mmap',
];

/** The number of bytes by which the memory of a session may grow after its beginning. */
const MEMORY = 160 * 1024 * 1024;

/**
 * The settings of the student's sessions. The sandbox does not allow the student to change them by
 * SET.
 */
const PARAMETERS = {
  ...EVERYBODYS_PARAMETERS,
  search_path: 'public',
  // The limit of memory would not apply to a parallel worker.
  max_parallel_workers_per_gather: 0,
  max_parallel_maintenance_workers: 0,
  jit: 'off',
  work_mem: '4MB',
  maintenance_work_mem: '8MB',
};

/** The server of a box, and who uses its tables. */
interface Opening {
  copy: Copy;
  /** The address of the student. */
  url: string;
  /** Whether the student makes the tables. */
  isOwn: boolean;
  /** The schema that the student writes without its name, beside `public`. */
  schema: string | undefined;
}

/**
 * Opens the stage of a box and its watch. If the student makes the tables, no other account connects
 * to their database after the student's sessions have begun.
 */
async function openBox(
  { copy, url, isOwn, schema }: Opening,
  count: number,
  mostStatementMs: number,
): Promise<Box> {
  const sockets: Socket[] = [];
  const onSocket = (socket: Socket) => void sockets.push(socket);
  const path = schema ? { search_path: `lab_time, pg_catalog, ${schema}, public` } : {};
  const parameters = { ...PARAMETERS, ...path };
  const settings = { parameters, oneStatement: true, onSocket };
  const codecs = { parsers: {}, serializers: {} };
  const keeper = openSession({ url: copy.url, prepare: true }, codecs);
  // The session of the lab reads what the student has written, so its answers are watched too.
  const ofLab = {
    onSocket,
    url: copy.url,
    prepare: true,
    parameters: { ...EVERYBODYS_PARAMETERS, ...LAB_TIME },
  };
  const admin = isOwn ? {} : { admin: openSession(ofLab, codecs) };
  const stage = new Stage(url, drizzleDatabases(), { keeper, settings, ...admin });
  let watch: Watch | undefined;
  const close = async () => {
    // The end of the server also ends its sessions. It ends even a session that PostgreSQL cannot
    // end while the server runs.
    await copy.end();
    await Promise.all([watch?.close(), stage.close()]);
  };
  try {
    const sessions = stage.sessions(count);
    // If the server ends now, `growStack` throws first, and nobody awaits the sessions. Node ends a
    // process if nobody handles an error.
    sessions.catch(() => undefined);
    await growStack(stage.admin);
    await Promise.all((await sessions).map(({ session }) => growStack(session)));
    if (isOwn) await stage.run(CLOSE_ROLE);
    watch = new Watch(copy, keeper, sockets, mostStatementMs);
    return { stage, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const STACK_DEPTH_EXCEEDED = '54001';

/**
 * Lets the stack of a session grow to its limit before a student uses memory. Otherwise the limit
 * of memory could stop the growth of the stack later. The process would crash, and PostgreSQL would
 * then end all sessions of the server.
 */
async function growStack(session: Session) {
  const deep = { text: `select repeat('[', 50000)::json`, params: [], asArrays: false };
  await session.run(deep).catch((error: unknown) => {
    if (databaseError(error)?.code !== STACK_DEPTH_EXCEEDED) throw error;
  });
}
