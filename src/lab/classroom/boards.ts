import { randomBytes } from 'node:crypto';
import { connect } from '../../platform/db/client.ts';
import { oneConnection } from '../../platform/db/one-connection.ts';
import { openScratch, type Scratch } from '../../platform/postgres/scratch.ts';
import type { Log } from '../../platform/process/log.ts';
import { prepareDatabase } from '../../service/database/migrate.ts';
import { type Board, openBoard } from './board-http.ts';
import type { Student } from './roll.ts';

/**
 * The boards of all students. Each student has a separate database, which is a copy of one
 * template. Each student also has a separate role, which may connect to this database only. So no
 * mistake in a route can show or change the board of another student. A board is made when its
 * student first opens it, because a copy takes 8 MB and some 50 ms.
 */
export class Boards {
  readonly #databaseUrl: string;
  readonly #log: Log;
  readonly #boards = new Map<Student, Promise<Board>>();
  readonly #template: Promise<Scratch>;
  #lastMade: Promise<unknown>;
  #isClosed = false;

  constructor(databaseUrl: string, log: Log) {
    this.#databaseUrl = databaseUrl;
    this.#log = log;
    this.#template = makeTemplate(databaseUrl);
    this.#template.catch(() => undefined);
    this.#lastMade = this.#template.catch(() => undefined);
  }

  /** Resolves when boards can be made. */
  async ready() {
    await this.#template;
  }

  /**
   * Returns the board of this student. Returns undefined once the boards close, because nobody
   * would drop the database of a board that is made later.
   */
  async of(student: Student): Promise<Board | undefined> {
    if (this.#isClosed) return undefined;
    const known = this.#boards.get(student);
    if (known) return known;
    // We make one copy at a time. So a class that opens its boards at the same time delays nobody
    // else.
    const made = this.#lastMade.then(() => this.#make(student));
    this.#lastMade = made.catch(() => this.#boards.delete(student));
    this.#boards.set(student, made);
    return made;
  }

  /** Closes and drops the board of a student who has left. */
  async drop(student: Student) {
    const board = await this.#boards.get(student)?.catch(() => undefined);
    this.#boards.delete(student);
    await board?.close();
  }

  async close() {
    this.#isClosed = true;
    await Promise.all([...this.#boards.keys()].map((student) => this.drop(student)));
    const template = await this.#template.catch(() => undefined);
    await template?.stop();
  }

  async #make({ number }: Student): Promise<Board> {
    const template = await this.#template;
    const name = `${nameIn(template.url)}_${number}`;
    const password = randomBytes(16).toString('hex');
    const keeper = oneConnection(this.#databaseUrl, {});
    const database = keeper(name);
    try {
      await keeper`create database ${database} template ${keeper(nameIn(template.url))}`;
      await keeper.unsafe(
        `create role "${name}" login password '${password}' connection limit ${CONNECTIONS * 2}
         nosuperuser nocreatedb nocreaterole noreplication nobypassrls
         in role "${nameIn(template.url)}"`,
      );
      await keeper`revoke all on database ${database} from public`;
      await keeper`grant connect on database ${database} to ${keeper(name)}`;
    } finally {
      await keeper.end({ timeout: 5 });
    }
    const url = new URL(template.url);
    url.pathname = name;
    url.username = name;
    url.password = password;
    const board = openBoard(
      (observe) => connect(url.href, { connections: CONNECTIONS, observe }),
      this.#log,
    );
    return { ...board, close: () => board.close().finally(() => this.#remove(name)) };
  }

  async #remove(name: string) {
    const keeper = oneConnection(this.#databaseUrl, {});
    try {
      await keeper`drop database if exists ${keeper(name)} with (force)`;
      await keeper`drop role if exists ${keeper(name)}`;
    } finally {
      await keeper.end({ timeout: 5 });
    }
  }
}

/** One connection reads the events for an open page. The other connection claims. */
const CONNECTIONS = 2;

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

/**
 * Makes the template of all boards, and a group role with the rights on its tables. The role of
 * each student is a member of this group.
 */
async function makeTemplate(databaseUrl: string): Promise<Scratch> {
  const scratch = await openScratch(databaseUrl);
  await prepareDatabase(scratch.url, { demoData: true });
  const group = nameIn(scratch.url);
  const owner = oneConnection(scratch.url, {});
  const role = owner(group);
  try {
    await owner`create role ${role} nologin`;
    await owner`revoke all on database ${role} from public`;
    await owner`grant select, insert, update, delete on all tables in schema public to ${role}`;
    await owner`grant usage on all sequences in schema public to ${role}`;
  } finally {
    await owner.end({ timeout: 5 });
  }
  return {
    url: scratch.url,
    async stop() {
      await scratch.stop();
      const keeper = oneConnection(databaseUrl, {});
      await keeper`drop role if exists ${keeper(group)}`.finally(() => keeper.end({ timeout: 5 }));
    },
  };
}
