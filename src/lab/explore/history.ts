import type { Act } from './execution.ts';
import { keepsSnapshot } from './gate.ts';

/** Remembers commits and snapshots, and finds the commits that a statement does not see. */
export class History {
  readonly #commits: { session: number; at: number }[] = [];
  readonly #snapshots = new Map<number, number>();
  readonly #wrote = new Set<number>();

  /**
   * The step, from 0, whose snapshot the session's open transaction keeps. Undefined if there is
   * none.
   */
  kept(session: number): number | undefined {
    return this.#snapshots.get(session);
  }

  /**
   * Records the next act. It belongs to step `at`, from 0. Returns a note on the commits that the
   * act's snapshot is too old to see. Null if there are none.
   */
  note(act: Act, at: number): string | null {
    if (act.step.effect) return null;
    const taken = this.#snapshotOf(act);
    const unseen = isRead(act)
      ? this.#commits.filter(({ session, at }) => session !== act.session && at > taken)
      : [];
    this.#follow(act, at);
    if (!act.result || unseen.length === 0) return null;
    const committers = [...new Set(unseen.map(({ session }) => session))];
    return `snapshot of step ${taken + 1}: does not see the commit of ${names(committers)}`;
  }

  #snapshotOf({ session, step, sentAt }: Act): number {
    if (!keepsSnapshot(step)) return sentAt;
    const taken = this.#snapshots.get(session) ?? sentAt;
    this.#snapshots.set(session, taken);
    return taken;
  }

  #follow({ session, step, result }: Act, at: number) {
    const ends = /^(commit|rollback)$/i.test(step.text);
    if (/^(insert|update|delete|with)\b/i.test(step.text)) this.#wrote.add(session);
    if (/^commit$/i.test(step.text) && result && 'rows' in result && this.#wrote.has(session))
      this.#commits.push({ session, at });
    if (!ends) return;
    this.#wrote.delete(session);
    this.#snapshots.delete(session);
  }
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

export const names = (sessions: number[]) => sessions.map((session) => `S${session}`).join(' and ');
