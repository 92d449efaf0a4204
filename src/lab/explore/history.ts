import type { Act } from './execution.ts';
import { keepsSnapshot } from './step.ts';

/** Remembers writes, commits and snapshots, and finds the writes that a statement does not see. */
export class History {
  readonly #commits: { session: number; at: number }[] = [];
  readonly #snapshots = new Map<number, number>();
  /** The writes of each open transaction, and their steps. */
  readonly #open = new Map<number, (Write & { at: number })[]>();

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
    if (act.step.effect) return null;
    const taken = this.#snapshotOf(act);
    const isReader = act.result !== undefined && isRead(act);
    const unseen = this.#commits.filter((each) => each.session !== act.session && each.at > taken);
    const uncommitted = this.#uncommitted(act);
    this.#follow(act, at);
    if (!isReader) return null;
    const commits = unseen.map((each) => `of S${each.session} at step ${each.at + 1}`);
    const why = sayWhy(act, taken, at);
    const notes = [
      ...(commits.length > 0 ? [`does not see the commit ${commits.join(' and ')}, ${why}`] : []),
      ...uncommitted,
    ];
    return notes.join('; ') || null;
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
      return [`does not see ${words.join(' and ')}: S${other} has not committed`];
    });
  }

  #follow({ session, step: { text }, result }: Act, at: number) {
    if (!result) return;
    const isDone = 'rows' in result;
    const writes = this.#open.get(session) ?? [];
    if (isDone && /^commit$/i.test(text) && writes.length > 0) this.#commits.push({ session, at });
    if (ENDS.test(text)) this.#end(session);
    else if (isDone && hasWritten(text, result.rows))
      this.#open.set(session, [...writes, ...writesIn(text).map((write) => ({ ...write, at }))]);
  }

  #end(session: number) {
    this.#open.delete(session);
    this.#snapshots.delete(session);
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

/** A write without RETURNING gives no rows, but the driver tells how many rows it wrote. */
const hasWritten = (text: string, rows: unknown[] & { count?: number }) =>
  /^with\b/i.test(text) || (rows.count ?? rows.length) > 0;

const unique = <T>(all: T[]): T[] => [...new Set(all)];

/** The reason why a snapshot of step `taken`, from 0, misses a later commit. */
function sayWhy({ step, sentAt }: Act, taken: number, at: number): string {
  if (keepsSnapshot(step)) return `since its transaction has the snapshot of step ${taken + 1}`;
  const before = sentAt < at ? ', before the wait' : '';
  return `since its snapshot is of step ${taken + 1}${before}`;
}

/**
 * Whether a statement reads by its snapshot, such as a write with a subselect. FOR UPDATE reads the
 * newest version of the locked row, unless the transaction keeps its snapshot.
 */
function isRead({ step }: Act): boolean {
  if (/^with\b/i.test(step.text)) return true;
  const isLocked = /\bfor (no key )?update\b/i.test(step.text);
  return /\bselect\b/i.test(step.text) && (keepsSnapshot(step) || !isLocked);
}

/** Whether the statement names the table, apart from a table that it only writes. */
const mentions = ({ text }: Act['step'], table: string): boolean =>
  text
    .replace(/"/g, '')
    .replace(WRITE, '')
    .split(/[^\w.]+/)
    .includes(table);

export const names = (sessions: number[]) => sessions.map((session) => `S${session}`).join(' and ');
