import { sessionOf } from './choices.ts';
import type { Act, Entry } from './execution.ts';
import { names, writesIn } from './history.ts';

const ENDS = /^(commit|rollback)$/i;
const SESSION_LOCK = /\bpg_(try_)?advisory_lock/i;
const SESSION_UNLOCK = /\bpg_advisory_unlock/i;

/** What PostgreSQL knows of a session. */
interface Fate {
  /** The writes of the open transaction, such as `update lab_queue.tasks`. */
  writes: string[];
  /** The writes of committed transactions. */
  committed: string[];
  /** The statement that waits for a lock. */
  waiting: string | undefined;
  hasLock: boolean;
  isDead: boolean;
}

/** Follows the sessions, and says what PostgreSQL does when their processes die. */
export class Deaths {
  readonly #fates = new Map<number, Fate>();

  #of(session: number): Fate {
    const fate = this.#fates.get(session) ?? {
      writes: [],
      committed: [],
      waiting: undefined,
      hasLock: false,
      isDead: false,
    };
    this.#fates.set(session, fate);
    return fate;
  }

  /** Records a choice after which a process is dead. Returns what PostgreSQL does. */
  dies({ choice, acts, dead }: Entry, answersFirst: boolean): string {
    const session = sessionOf(choice);
    const fate = this.#of(session);
    const name = `S${session}`;
    const begin = answersFirst
      ? `${name} answers, and then its process dies`
      : `the process of ${names(dead)} dies`;
    for (const each of dead) this.#of(each).isDead = true;
    if (fate.waiting)
      return `${begin}. PostgreSQL does not notice yet: ${fate.waiting} still waits in line`;
    const locks = fate.hasLock ? ', and its session lock is free' : '';
    const isOpen = acts.some((act) => act.session === session && ENDS.test(act.step.text));
    if (!isOpen) {
      const kept = fate.committed.length > 0 ? `. Its commits stay: ${list(fate.committed)}` : '';
      return `${begin}. It has no open transaction${locks}${kept}`;
    }
    return `${begin}. PostgreSQL rolls its transaction back${undone(fate)}${locks}`;
  }

  /** Records an act. Returns a note if the process of the session is dead. */
  note({ session, step: { text, effect }, result }: Act): string | null {
    const fate = this.#of(session);
    if (effect?.kills) fate.isDead = true;
    if (effect) return null;
    fate.waiting = result ? undefined : wordsOf(text);
    const before = undone(fate);
    if (/^commit$/i.test(text)) fate.committed.push(...fate.writes);
    if (ENDS.test(text)) fate.writes = [];
    else if (result && 'rows' in result)
      fate.writes.push(...writesIn(text).map(({ words }) => words));
    if (SESSION_LOCK.test(text)) fate.hasLock = true;
    if (SESSION_UNLOCK.test(text)) fate.hasLock = false;
    if (!fate.isDead) return null;
    if (/^commit$/i.test(text)) return `PostgreSQL commits. S${session} is dead`;
    if (/^rollback$/i.test(text)) return `PostgreSQL rolls back${before}. S${session} is dead`;
    return `PostgreSQL runs the statement, though S${session} is dead`;
  }
}

const list = (writes: string[]) => [...new Set(writes)].join(', ');

const undone = ({ writes }: Fate) => (writes.length > 0 ? `: ${list(writes)} undone` : '');

/** The first words of a statement, up to the table. */
const wordsOf = (text: string): string =>
  writesIn(text).at(-1)?.words ?? text.split(/\s/, 1)[0] ?? '';
