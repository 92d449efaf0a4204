import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { openRelay, type Relay } from '../../proof/faults/relay.ts';
import { drizzleDatabases } from '../../src/explorer/databases.ts';
import { Execution } from '../../src/explorer/execution.ts';
import { assess, type Played, replay } from '../../src/explorer/explore.ts';
import { openStageSession, Stage, type StageSession } from '../../src/explorer/stage.ts';
import type { Program, Trial } from '../../src/explorer/trial.ts';
import { queue } from '../../src/lab/chapters/queue/index.ts';
import type { Rows } from '../../src/platform/db/session.ts';
import { atEnd } from '../support/command.ts';
import { makeLabDatabase } from '../support/database.ts';

/**
 * A stage on which each session has a socket of its own. `kill` destroys the socket. PostgreSQL
 * learns of the death only from the destroyed socket.
 */
class StageOfSockets extends Stage {
  #opened: { session: StageSession; relay: Relay; isKilled: boolean }[] = [];

  override async sessions(count: number): Promise<StageSession[]> {
    await this.closeAll();
    for (let number = 1; number <= count; number++) await this.#open();
    return this.#opened.map(({ session }) => session);
  }

  async #open() {
    const relay = await openRelay(this.url);
    const session = await openStageSession(relay.url, this.databases.codecs);
    const opened = { session, relay, isKilled: false };
    const { run, isAlive, close } = session.session;
    session.session = {
      isAlive,
      close,
      // The explorer must not get the error of the destroyed socket, because a dead process gets no
      // error.
      run: async (statement) => {
        if (opened.isKilled) return NOTHING;
        try {
          return await run(statement);
        } catch (error) {
          if (!opened.isKilled) throw error;
          await this.#until(session.pid, ({ length }) => length === 0);
          return NOTHING;
        }
      },
    };
    this.#opened.push(opened);
  }

  /**
   * Destroys the socket of a session. Then waits until its backend has ended or waits for a lock.
   */
  async kill(number: number) {
    const opened = this.#opened[number - 1];
    if (!opened) throw new Error(`there is no session ${number}`);
    opened.isKilled = true;
    opened.relay.cut();
    await this.#until(opened.session.pid, ([row]) => row?.waits !== false);
  }

  async #until(pid: number, isSo: (rows: { waits: boolean }[]) => boolean) {
    const text = `select coalesce(wait_event_type = 'Lock', false) as waits
      from pg_stat_activity where pid = $1`;
    for (;;) if (isSo((await this.run(text, [pid])) as unknown as { waits: boolean }[])) return;
  }

  async closeAll() {
    for (const { session, relay } of this.#opened) {
      await session.session.close(0);
      relay.cut();
    }
    this.#opened = [];
  }
}

const NOTHING: Rows = Object.assign([], { command: '' });

let played: Stage;
let real: StageOfSockets;
beforeAll(async () => {
  const url = await makeLabDatabase();
  played = new Stage(url, drizzleDatabases());
  real = new StageOfSockets(url, drizzleDatabases());
  atEnd(() => Promise.all([played.close(), real.close()]));
});
afterEach(() => real.closeAll());

/** Plays a schedule to its end. At `k1` the socket of session 1 is destroyed. */
async function playReally(trial: Trial, schedule: string[]): Promise<Played> {
  const execution = await Execution.start(real, trial);
  const next = () => schedule[execution.entries.length] ?? execution.choices()[0];
  for (let choice = next(); choice !== undefined; choice = next()) {
    if (choice.startsWith('k')) await real.kill(Number(choice.slice(1)));
    await execution.step(choice);
  }
  return await assess(execution);
}

const ofQueue = (name: string): Trial => {
  const strategy = queue.strategies.find((each) => each.name === name);
  const situation = strategy && queue.situationsOf(strategy).find((each) => each.name === 'crash');
  if (!strategy || !situation) throw new Error(`queue has no strategy ${name} with a crash`);
  return queue.trial(strategy, situation, 2);
};

/**
 * Makes a trial in which each session takes a session-level advisory lock, and then writes its
 * letter.
 */
const withSessionLock = (): Trial => {
  const program =
    (letter: string): Program =>
    async (db) => {
      await db.execute(sql`select pg_advisory_lock(7)`);
      await db.execute(sql`update companies set name = name || ${letter}::text where id = 1`);
      await db.execute(sql`select pg_advisory_unlock(7)`);
    };
  return {
    setUp: async (admin) => {
      const text = "update companies set name = '' where id = 1";
      await admin.run({ text, params: [], asArrays: false });
    },
    sessions: [program('a'), program('b')],
    deaths: 1,
    judge: async (admin) => {
      const text = 'select name from companies where id = 1';
      const [row] = await admin.run({ text, params: [], asArrays: false });
      return { faults: [], summary: (row as { name: string }).name };
    },
  };
};

test.each([
  [
    'in an open transaction',
    () => ofQueue('held-transaction'),
    '1,k1',
    /^task 1: 1 mail, finished$/,
  ],
  ['after the commit', () => ofQueue('skip-locked'), '1,1,k1', /unfinished/],
  [
    'while an autocommit write waits for a lock',
    () => ofQueue('select-then-update'),
    '2,1,1,2,k2,1',
    /^task 1: 1 mail, finished$/,
  ],
  ['with a session-level advisory lock', withSessionLock, '1,2,k1', /^b$/],
])(
  'a simulated death %s has the same result as a destroyed socket',
  async (_, make, schedule, summary) => {
    const expected = await replay(played, make(), schedule.split(','));
    const found = await playReally(make(), schedule.split(','));
    const end = ({ summary, faults, endings }: Played) => ({ summary, faults, endings });
    expect(end(found)).toEqual(end(expected));
    expect(expected.summary).toMatch(summary);
    expect(expected.endings).toContainEqual({ died: true });
  },
);
