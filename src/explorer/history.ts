import { byNumber, type NameOf, names } from './choice.ts';
import { storeOf } from './deaths.ts';
import type { Act } from './execution.ts';
import { wholeStatement } from './readable.ts';
import { keepsSnapshot, type Step } from './step.ts';
import { isRead, LOCK, sayCommits, sayUnseen } from './unseen.ts';
import { takesAdvisoryLock } from './words.ts';
import {
  type Commit,
  ENDS,
  hasNoRows,
  hasWritten,
  namesTable,
  readsTable,
  type Write,
  writesIn,
} from './writes.ts';

/** Remembers writes, commits and snapshots, and finds the writes that a statement does not see. */
export class History {
  readonly #nameOf: NameOf;
  readonly #commits: Commit[] = [];
  readonly #snapshots = new Map<number, number>();
  /** The writes of each open transaction, and their steps. */
  readonly #open = new Map<number, OpenWrite[]>();
  /** The sessions whose autocommit write has changed no row. */
  readonly #inVain = new Set<number>();
  /** The sessions that have rolled back a part of their open transaction. */
  readonly #partly = new Set<number>();
  /** For each open transaction, the rows of its last lock before any write. */
  readonly #locked = new Map<number, LockedRows>();
  /** The steps at which open transactions failed. */
  readonly #failed = new Map<number, number>();
  /** The sessions whose open transaction is an autocommit write. The program sent no BEGIN. */
  readonly #autocommit = new Set<number>();
  readonly #looks: Look[] = [];
  /**
   * The missed commits that a note has already named. `1 misses 4` means: session 1 has not seen
   * the commit of step 4, counted from 0.
   */
  readonly #told = new Set<string>();

  /** The notes call the sessions by `nameOf`. */
  constructor(nameOf: NameOf = byNumber) {
    this.#nameOf = nameOf;
  }

  /**
   * Returns the step at which the open transaction took its lasting snapshot. Steps count from 0.
   * Undefined if the session keeps no snapshot.
   */
  kept(session: number): number | undefined {
    return this.#snapshots.get(session);
  }

  /**
   * Records the next act. `at` is its step, from 0. Returns a note on the act, or null if there is
   * nothing to say. For example, the note says which writes the act does not see, and why.
   */
  note(act: Act, at: number): string | null {
    const { session, step, result } = act;
    const old = result && reliesOnLooks(act) ? this.#sayOldLook(session) : null;
    if (step.effect) return old;
    const begins = this.#sayBeginning(act);
    const ends = this.#sayEnd(act);
    const taken = this.#snapshotOf(act);
    const unseen = this.#commits.filter((each) => each.session !== session && each.at > taken);
    const uncommitted = this.#uncommitted(act);
    this.#follow(act, at);
    // After an error, we name no unseen writes. The name of the error says enough.
    const isDone = result !== undefined && 'rows' in result;
    const missed = isDone
      ? [
          sayUnseen(act, unseen, { taken, at, nameOf: this.#nameOf }),
          ...(isRead(act) ? uncommitted : []),
        ]
      : [];
    const waits = result === undefined ? this.#sayInVain(act) : null;
    const skipped = hasNoRows(act) ? this.#saySkipped(act) : null;
    const conflict =
      hasNoRows(act) && CONFLICTS.test(step.text) ? 'the row is there already' : null;
    const notes = [begins, ends, old, ...missed, waits, skipped, conflict];
    return notes.filter((each) => each !== null).join('; ') || null;
  }

  /** Says that a transaction with one snapshot begins with the act. */
  #sayBeginning({ session, step }: Act): string | null {
    if (!keepsSnapshot(step) || this.#snapshots.has(session) || ENDS.test(step.text)) return null;
    return `begins a transaction at ${step.isolation.toUpperCase()}: one snapshot for all its statements`;
  }

  #sayEnd({ session, step: { text } }: Act): string | null {
    if (/^rollback$/i.test(text)) return this.#sayUndone(session);
    const isAlone = this.#autocommit.has(session) && /^commit$/i.test(text);
    return isAlone ? 'autocommit, since the statement stands alone' : null;
  }

  #sayUndone(session: number): string | null {
    const writes = this.#sureWrites(session);
    return writes.length > 0 ? `undoes ${inWords(writes)}` : null;
  }

  /**
   * Returns the open writes that have surely changed rows. Empty after a rollback to a
   * savepoint, because PostgreSQL does not tell which writes were undone.
   */
  #sureWrites(session: number): OpenWrite[] {
    if (this.#partly.has(session)) return [];
    return this.#open.get(session)?.filter(({ isSure }) => isSure) ?? [];
  }

  #snapshotOf({ session, step, sentAt }: Act): number {
    if (!keepsSnapshot(step)) return sentAt;
    const taken = this.#snapshots.get(session) ?? sentAt;
    this.#snapshots.set(session, taken);
    return taken;
  }

  /**
   * Names the writes of other open transactions that the act does not see. Checks only the tables
   * that the act reads.
   */
  #uncommitted({ session, step }: Act): string[] {
    return [...this.#open].flatMap(([other, writes]) => {
      const ofTables = writes.filter(
        ({ table }) => other !== session && readsTable(step.text, table),
      );
      if (ofTables.length === 0) return [];
      const failed = this.#failed.get(other);
      const why =
        failed === undefined
          ? `${this.#nameOf(other)} has not committed`
          : `the transaction of ${this.#nameOf(other)} failed at step ${failed + 1}, and can only roll back`;
      return [`does not see ${inWords(ofTables)}: ${why}`];
    });
  }

  /**
   * Explains a wait for a session that has changed no row. PostgreSQL locks a row before it checks
   * the row again, so a write that changes no row may hold a lock.
   */
  #sayInVain({ waitsFor }: Act): string | null {
    const inVain = waitsFor.filter((other) => this.#inVain.has(other));
    const said = inVain.map(
      (other) =>
        `${this.#nameOf(other)} has changed no row, but the row that it checked stays locked until its commit`,
    );
    return said.join('; ') || null;
  }

  /**
   * Names the sessions whose rows SKIP LOCKED has skipped. We name a session if it locked rows with
   * this act's WHERE, and nobody has committed since. Such a row still meets the conditions.
   */
  #saySkipped({ session, step }: Act): string | null {
    if (keepsSnapshot(step) || !SKIPS.test(step.text)) return null;
    const last = this.#commits.at(-1)?.at ?? -1;
    const lockers = [...this.#locked].filter(
      ([other, { conditions, at }]) =>
        other !== session && at >= last && conditions === conditionsOf(step),
    );
    return lockers.length > 0
      ? `skips the rows locked by ${names(
          lockers.map(([other]) => other),
          this.#nameOf,
        )}`
      : null;
  }

  /**
   * Says which commits came after the session had last read a table. Names each commit only once
   * for a session.
   */
  #sayOldLook(session: number): string | null {
    const looks = this.#looks.filter((look) => look.session === session);
    const isNew = ({ at }: Commit) => !this.#told.has(`${session} misses ${at}`);
    const others = this.#commits.filter((each) => each.session !== session && isNew(each));
    for (const { table } of others.flatMap(({ sure }) => sure)) {
      const look = looks.findLast(({ text }) => namesTable(text, table));
      const missed = others.filter(
        ({ at, sure }) => look && at > look.at && sure.some((write) => write.table === table),
      );
      if (!look || missed.length === 0) continue;
      for (const { at } of missed) this.#told.add(`${session} misses ${at}`);
      const commits = sayCommits(missed, this.#nameOf);
      return `${this.#nameOf(session)} last looked at ${table} at step ${look.at + 1}, before the commit ${commits}`;
    }
    return null;
  }

  #follow(act: Act, at: number) {
    const { session, step, result } = act;
    const { text, isAutocommit } = step;
    if (!result) return;
    if ('rows' in result && !BLIND.test(text))
      this.#looks.push({ session, text, at: isRead(act) ? act.sentAt : at });
    const writes = this.#open.get(session) ?? [];
    if ('error' in result) this.#locked.delete(session);
    if ('error' in result && writes.length > 0) this.#failed.set(session, at);
    const isDone = 'rows' in result;
    if (isDone && isAutocommit) this.#autocommit.add(session);
    if (isAutocommit && /^(insert|update|delete)\b/i.test(text) && hasNoRows(act))
      this.#inVain.add(session);
    if (isDone && /^commit$/i.test(text) && writes.length > 0 && !this.#failed.has(session))
      this.#commits.push({ session, at, writes, sure: this.#sureWrites(session) });
    if (isDone && /^rollback to\b/i.test(text)) {
      this.#failed.delete(session);
      this.#partly.add(session);
      this.#locked.delete(session);
    }
    if (ENDS.test(text)) return this.#end(session);
    if (isDone && LOCK.test(text) && !hasNoRows(act) && writes.length === 0)
      this.#locked.set(session, { conditions: conditionsOf(step), at });
    if (isDone && hasWritten(text, result.rows))
      this.#open.set(session, [...writes, ...openWrites(text, at)]);
  }

  #end(session: number) {
    this.#open.delete(session);
    this.#snapshots.delete(session);
    this.#failed.delete(session);
    this.#autocommit.delete(session);
    this.#inVain.delete(session);
    this.#partly.delete(session);
    this.#locked.delete(session);
  }
}

/**
 * A statement that reads tables. The statement saw the tables as they were at step `at`, from 0.
 */
interface Look {
  session: number;
  text: string;
  at: number;
}

/** An INSERT of values reads no table. */
const BLIND = /^insert\b(?!.*\b(select|on conflict)\b)/is;

/**
 * Whether an act relies on what its session has read earlier. True for a write, an advisory lock
 * and an effect. False for a statement that reads tables itself.
 */
function reliesOnLooks(act: Act): boolean {
  const { text, effect } = act.step;
  if (effect) return !effect.isInMemory && !storeOf(effect);
  return (
    takesAdvisoryLock(text) || (writesIn(text).length > 0 && !isRead(act) && !CHECKS.test(text))
  );
}

/**
 * Writes that check the newest row themselves, by ON CONFLICT or by a condition on a second column.
 */
const CHECKS = /\bon conflict\b|\bwhere\b.+\band\b/is;

interface OpenWrite extends Write {
  at: number;
  /**
   * False for a write in a statement with WITH, because PostgreSQL does not tell whether such a
   * write changed a row.
   */
  isSure: boolean;
}

const openWrites = (text: string, at: number): OpenWrite[] =>
  writesIn(text).map((write) => ({ ...write, at, isSure: !/^with\b/i.test(text) }));

/** The rows that a statement has locked, for example by FOR UPDATE. */
interface LockedRows {
  conditions: string;
  at: number;
}

const SKIPS = /\bskip locked\b/i;
/**
 * An INSERT of values with ON CONFLICT. If such a statement inserts no row, all its rows exist
 * already.
 */
const CONFLICTS = /^insert\b(?!.*\bselect\b).*\bon conflict\b/is;

/**
 * Returns the text after the first WHERE. The text before the WHERE may differ between two workers,
 * because each worker may write its own name there.
 */
const conditionsOf = (step: Step): string =>
  wholeStatement(step)
    .replace(/^.*?\bwhere\b/is, '')
    .replace(SKIPS, '')
    .trim();

/** Returns the writes in words, such as `the insert at step 1 and the update at step 2`. */
const inWords = (writes: OpenWrite[]): string =>
  [...new Set(writes.map(({ verb, at }) => `the ${verb} at step ${at + 1}`))].join(' and ');
