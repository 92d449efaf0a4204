import { names } from './choices.ts';
import type { Act } from './execution.ts';
import { keepsSnapshot } from './step.ts';
import { type Commit, hasNoRows, isRead, LOCK, sayUnseen } from './unseen.ts';

/** Remembers writes, commits and snapshots, and finds the writes that a statement does not see. */
export class History {
  readonly #commits: Commit[] = [];
  readonly #snapshots = new Map<number, number>();
  /** The writes of each open transaction, and their steps. */
  readonly #open = new Map<number, (Write & { at: number })[]>();
  /** The tables in which each open transaction has locked rows. */
  readonly #locked = new Map<number, string[]>();
  /** The steps at which open transactions failed. */
  readonly #failed = new Map<number, number>();
  /** The sessions whose open transaction is a lone write. The program sent no BEGIN. */
  readonly #lone = new Set<number>();

  /**
   * The step, from 0, whose snapshot the session's open transaction keeps. Undefined if there is
   * none.
   */
  kept(session: number): number | undefined {
    return this.#snapshots.get(session);
  }

  /**
   * Records the next act. It belongs to step `at`, from 0. Returns a note on the writes that the act
   * cannot see: its snapshot is too old, or their transaction is still open. Null if there are none.
   */
  note(act: Act, at: number): string | null {
    const { session, step, result } = act;
    if (step.effect) return null;
    const begins = this.#sayBeginning(act);
    const ends = this.#sayEnd(act);
    const taken = this.#snapshotOf(act);
    const unseen = this.#commits.filter((each) => each.session !== session && each.at > taken);
    const uncommitted = this.#uncommitted(act);
    this.#follow(act, at);
    // The name of an error says enough.
    const isDone = result !== undefined && 'rows' in result;
    const missed = isDone
      ? [sayUnseen(act, unseen, taken, at), ...(isRead(act) ? uncommitted : [])]
      : [];
    const skipped = hasNoRows(act) ? this.#saySkipped(act) : [];
    return [begins, ends, ...missed, ...skipped].filter((each) => each !== null).join('; ') || null;
  }

  /** Says what is special about the transaction that begins with the act. */
  #sayBeginning({ session, step }: Act): string | null {
    if (!keepsSnapshot(step) || this.#snapshots.has(session) || ENDS.test(step.text)) return null;
    return `begins a transaction at ${step.isolation.toUpperCase()}: one snapshot for all its statements`;
  }

  #sayEnd({ session, step: { text } }: Act): string | null {
    const isAlone = this.#lone.has(session) && /^commit$/i.test(text);
    return isAlone ? 'by itself, since the statement stands alone' : null;
  }

  #snapshotOf({ session, step, sentAt }: Act): number {
    if (!keepsSnapshot(step)) return sentAt;
    const taken = this.#snapshots.get(session) ?? sentAt;
    this.#snapshots.set(session, taken);
    return taken;
  }

  /** The writes of other open transactions into the tables that the act reads, in words. */
  #uncommitted({ session, step }: Act): string[] {
    return [...this.#open].flatMap(([other, writes]) => {
      const ofTables = writes.filter(({ table }) => other !== session && mentions(step, table));
      if (ofTables.length === 0) return [];
      const words = unique(ofTables.map(({ verb, at }) => `the ${verb} at step ${at + 1}`));
      const failed = this.#failed.get(other);
      const why =
        failed === undefined
          ? `S${other} has not committed`
          : `the transaction of S${other} failed at step ${failed + 1}, and can only roll back`;
      return [`does not see ${words.join(' and ')}: ${why}`];
    });
  }

  #saySkipped({ session, step }: Act): string[] {
    if (!/\bskip locked\b/i.test(step.text)) return [];
    const lockers = [...this.#locked].filter(
      ([other, tables]) => other !== session && tables.some((table) => mentions(step, table)),
    );
    if (lockers.length === 0) return [];
    return [`skips the rows locked by ${names(lockers.map(([other]) => other))}`];
  }

  #follow(act: Act, at: number) {
    const { session, step, result } = act;
    const { text, isLone } = step;
    if (!result) return;
    const writes = this.#open.get(session) ?? [];
    if ('error' in result && writes.length > 0) this.#failed.set(session, at);
    if ('error' in result) this.#locked.delete(session);
    const isDone = 'rows' in result;
    if (isDone && isLone) this.#lone.add(session);
    if (isDone && /^commit$/i.test(text) && writes.length > 0) this.#commits.push({ session, at });
    if (isDone && /^rollback to\b/i.test(text)) this.#failed.delete(session);
    if (ENDS.test(text)) this.#end(session);
    else if (isDone && hasWritten(text, result.rows)) {
      this.#open.set(session, [...writes, ...writesIn(text).map((write) => ({ ...write, at }))]);
      const locked = this.#locked.get(session) ?? [];
      if (!hasNoRows(act)) this.#locked.set(session, [...locked, ...tablesLockedIn(text)]);
    }
  }

  #end(session: number) {
    this.#open.delete(session);
    this.#snapshots.delete(session);
    this.#locked.delete(session);
    this.#failed.delete(session);
    this.#lone.delete(session);
  }
}

const ENDS = /^(commit|rollback)$/i;

/** A write into a table, such as `update lab_queue.tasks`. */
export interface Write {
  words: string;
  /** Such as `update`. */
  verb: string;
  table: string;
}

/** The writes of a statement. A statement with WITH may have several. */
export function writesIn(text: string): Write[] {
  const found = text.replace(/"/g, '').matchAll(WRITE);
  return [...found].map(([words, verb = '', table = '']) => ({
    words: words.replace(/\s+/g, ' '),
    verb: verb.split(/\s/, 1)[0]?.toLowerCase() ?? '',
    table,
  }));
}

/** Neither FOR UPDATE nor DO UPDATE is a write of its own. */
const WRITE =
  /(?<!\b(?:for|key|do)\s+)\b(insert into|update|delete from|merge into)\s+([a-z_][\w.]*)/gi;

/** The tables in which a statement locks rows that other sessions may want. */
function tablesLockedIn(text: string): string[] {
  const changed = writesIn(text).filter(({ verb }) => verb !== 'insert');
  const read = LOCK.test(text) ? text.replace(/"/g, '').matchAll(/\bfrom ([a-z_][\w.]*)/gi) : [];
  return [...changed.map(({ table }) => table), ...[...read].map(([, table = '']) => table)];
}

/**
 * Whether a write has changed a row. A write without RETURNING gives no rows, but the driver tells how
 * many rows it wrote. Nobody tells how many rows a WITH wrote.
 */
export const hasWritten = (text: string, rows: unknown[] & { count?: number }) =>
  /^with\b/i.test(text) || (rows.count ?? rows.length) > 0;

const unique = <T>(all: T[]): T[] => [...new Set(all)];

/** Whether the statement names the table, apart from a table that it only writes. */
const mentions = ({ text }: Act['step'], table: string): boolean =>
  text
    .replace(/"/g, '')
    .replace(WRITE, '')
    .split(/[^\w.]+/)
    .includes(table);
