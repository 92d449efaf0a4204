import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { arrayOf } from '../platform/db/array-text.ts';
import { inTime } from '../platform/waiting/deadline.ts';
import { gateOf } from './gate-of.ts';
import { assertPlayable, type Gatekeeper, type Unplayable } from './gatekeeper.ts';
import { type Death, Mortal, type Seen } from './mortal.ts';
import { readableStatement } from './readable.ts';
import type { Stage, StageSession } from './stage.ts';
import { STEP_MODEL } from './step.ts';
import { Hang } from './stillness.ts';
import type { Assessment, Ending, Program, Trial } from './trial.ts';

/**
 * The maximum time of a run, in parts. Even many sessions need only milliseconds, so a run that
 * takes longer has a fault. After each part we also wait for an answer from PostgreSQL. So on a
 * busy machine we wait longer.
 */
const PATIENCE = { parts: 100, partMs: 100 };

/** Lets every step start immediately. */
const openGate: Omit<Gatekeeper, 'refuse'> = {
  hasEnded: false,
  arrive: async () => 'runs',
  leave: () => {},
  waitsInLine: () => {},
  leaveBeside: () => {},
  dead: () => {},
};

/** At full speed, an autocommit write is one message to PostgreSQL, as in production. */
const MODEL = { ...STEP_MODEL, autocommitWriteIsTwo: false };

export interface FreeOptions {
  /**
   * The moment at which the process of each session is killed. Undefined for a session that lives.
   */
  deaths?: readonly (Death | undefined)[];
  /** Called after each statement and each effect of the sessions. */
  onSeen?: (seen: Seen & { session: number }) => void;
}

/**
 * Plays a trial with the free scheduler: every session runs at full speed, as in production.
 * PostgreSQL and chance decide the order. Throws a `Hang` if a session does not end. If a program
 * was refused, throws the `Unplayable`. If the `Unplayable` has caused an error of the program,
 * throws that error instead.
 */
export async function playFree(
  stage: Stage,
  trial: Trial,
  { deaths = [], onSeen = () => undefined }: FreeOptions = {},
): Promise<Assessment & { endings: Ending[] }> {
  await stage.prepare(trial);
  const sessions = await stage.sessions(trial.sessions.length + 1);
  await trial.setUp(stage.admin);
  const mortals = sessions.map(
    ({ session }, index) =>
      new Mortal(session, deaths[index], (seen) => onSeen({ ...seen, session: index + 1 })),
  );
  for (const [index, mortal] of mortals.entries())
    void mortal.died.then(() => {
      trial.died?.(processOf(trial, index));
      for (const [other, each] of mortals.entries())
        if (processOf(trial, other) === processOf(trial, index)) each.die();
    });
  /** The sessions, from 1, whose programs have ended. */
  const ended = new Set<number>();
  const refusals: (Unplayable | undefined)[] = [];
  const run = async (program: Program, index: number): Promise<Ending> => {
    const mortal = mortals[index] as Mortal;
    const below = { ...(sessions[index] as StageSession), session: mortal.session };
    const refuse = (error: Unplayable) => {
      refusals[index] ??= error;
    };
    const { run } = gateOf(stage, below, program, { ...openGate, refuse }, MODEL);
    const worked = Promise.resolve()
      .then(() => run(sleep, mortal.effect))
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      .finally(() => ended.add(index + 1));
    return Promise.race([worked, mortal.died.then(() => ({ died: true }) as const)]);
  };
  const runAll = async () => {
    const endings = await Promise.all(trial.sessions.map(run));
    for (const [index, ending] of endings.entries()) assertPlayable(refusals[index], ending);
    await untilEnded(stage, sessions);
    const later = trial.afterwards?.(endings);
    if (!later) return { endings };
    if (!trial.afterwardsAtOnce) {
      await stage.passTime();
      await trial.passTime?.();
    }
    const index = trial.sessions.length;
    const last = await run(later, index);
    assertPlayable(refusals[index], last);
    return { endings, last };
  };
  const ends = await patiently(stage, runAll());
  if (ends === undefined) {
    const refusal = refusals.find((each) => each !== undefined);
    const reason = refusal ?? (await findHang(stage, sessions, ended));
    await stage.abandon();
    throw reason;
  }
  const { endings, last } = ends;
  return { endings, ...(await trial.judge(stage.admin, endings, last)) };
}

/** Returns the result of the work, or undefined if the work takes too long. */
async function patiently<T>(stage: Stage, work: Promise<T>): Promise<T | undefined> {
  for (let part = 1; part <= PATIENCE.parts; part++) {
    const done = await inTime(
      work.then((value) => ({ value })),
      PATIENCE.partMs,
      () => undefined,
    );
    if (done) return done.value;
    await stage.run('select');
  }
  return undefined;
}

/**
 * Returns the reason why the sessions do not end. For example, a statement waits for a lock, and
 * nobody frees this lock. The connections of a program in another process belong to no session. For
 * such a program, the reason is an idle connection that keeps the lock.
 */
async function findHang(
  stage: Stage,
  sessions: readonly StageSession[],
  ended: ReadonlySet<number>,
): Promise<Hang> {
  const pids = sessions.map(({ pid }) => pid);
  const numberOf = (pid: number) => pids.indexOf(pid) + 1;
  const waits = (await stage.run(WAITS)) as unknown as Wait[];
  for (const { text, isIdle, ...each } of waits) {
    const [waiter, keeper] = [numberOf(each.waiter), numberOf(each.keeper)];
    const isOwn = waiter > 0 && ended.has(keeper);
    const isOfProgram = waiter === 0 && keeper === 0 && isIdle && ended.size > 0;
    if (!isOwn && !isOfProgram) continue;
    const said = isOwn
      ? `S${waiter} waits for a lock that S${keeper} kept after the end`
      : 'a request waits for a lock that an idle connection keeps';
    const statement = readableStatement({ text, params: [] });
    return new Hang(`${said}, by ${statement}`, { isForKeptLock: true });
  }
  return new Hang('a session did not end at full speed');
}

interface Wait {
  waiter: number;
  keeper: number;
  text: string;
  /**
   * Whether the backend that keeps the lock is idle and in no transaction. Then the lock is a
   * session lock.
   */
  isIdle: boolean;
}

const WAITS = `select waiter.pid as waiter, keeper.pid as keeper, waiter.query as text,
    keeper.state = 'idle' as "isIdle"
  from pg_stat_activity waiter
  join pg_stat_activity keeper on keeper.pid = any(pg_blocking_pids(waiter.pid))
  where waiter.datname = current_database() and waiter.wait_event_type = 'Lock'
  order by waiter.query_start`;

const processOf = ({ processes }: Trial, index: number) => processes?.[index] ?? index + 1;

/** Waits until PostgreSQL has ended the sessions whose processes have died. */
async function untilEnded(stage: Stage, sessions: readonly StageSession[]) {
  const dead = sessions.filter(({ session }) => !session.isAlive()).map(({ pid }) => pid);
  const text = 'select from pg_stat_activity where pid = any($1::int[])';
  if (dead.length === 0) return;
  while ((await stage.run(text, [arrayOf(dead)])).length > 0) await turn();
}
