import type { Act } from './execution.ts';
import { keepsSnapshot } from './gate.ts';

/** Remembers writes, commits and snapshots, and finds the writes that a statement does not see. */
export class History {
  readonly #commits: { session: number; at: number }[] = [];
  readonly #snapshots = new Map<number, number>();
  /** The writes of each open transaction. */
  readonly #open = new Map<number, Write[]>();

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
    const notes = [
      ...(unseen.length > 0
        ? [`snapshot of step ${taken + 1}: does not see the commit of ${names(sessionsOf(unseen))}`]
        : []),
      ...uncommitted.map(
        ({ session, words }) => `does not see what S${session} has not committed: ${words}`,
      ),
    ];
    return notes.join('; ') || null;
  }

  #snapshotOf({ session, step, sentAt }: Act): number {
    if (!keepsSnapshot(step)) return sentAt;
    const taken = this.#snapshots.get(session) ?? sentAt;
    this.#snapshots.set(session, taken);
    return taken;
  }

  /** The writes of other open transactions into the tables that the act reads. */
  #uncommitted({ session, step }: Act): { session: number; words: string }[] {
    return [...this.#open].flatMap(([other, writes]) => {
      const ofTables = writes.filter(({ table }) => other !== session && mentions(step, table));
      const words = [...new Set(ofTables.map((write) => write.words))].join(', ');
      return words ? [{ session: other, words }] : [];
    });
  }

  #follow({ session, step: { text }, result }: Act, at: number) {
    if (!result) return;
    const isDone = 'rows' in result;
    const writes = this.#open.get(session) ?? [];
    if (isDone && /^commit$/i.test(text) && writes.length > 0) this.#commits.push({ session, at });
    if (ENDS.test(text)) this.#end(session);
    else if (isDone && hasWritten(text, result.rows))
      this.#open.set(session, [...writes, ...writesIn(text)]);
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
  table: string;
}

/** The writes of a statement. A statement with WITH may have several. */
export function writesIn(text: string): Write[] {
  const found = text.replace(/"/g, '').matchAll(WRITE);
  return [...found].map(([words, , table = '']) => ({ words: words.replace(/\s+/g, ' '), table }));
}

/** Neither FOR UPDATE nor DO UPDATE is a write of its own. */
const WRITE =
  /(?<!\b(?:for|key|do)\s+)\b(insert into|update|delete from|merge into)\s+([a-z_][\w.]*)/gi;

/** A write without RETURNING gives no rows, but the driver tells how many rows it wrote. */
const hasWritten = (text: string, rows: unknown[] & { count?: number }) =>
  /^with\b/i.test(text) || (rows.count ?? rows.length) > 0;

const sessionsOf = (all: { session: number }[]) => [...new Set(all.map(({ session }) => session))];

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
