import { byNumber, type NameOf, names, sessionOf } from './choice.ts';
import type { Act, Entry } from './execution.ts';
import type { EffectText } from './trial.ts';
import { releasesSessionLock, takesSessionLock } from './words.ts';
import { ENDS, hasWritten, writesIn } from './writes.ts';

/** The facts about one session. They decide what ends and what stays when its process dies. */
interface Fate {
  /**
   * The writes of the open transaction, such as `update lab_queue.tasks`. `at` is the step of the
   * write, from 0.
   */
  writes: { words: string; at: number }[];
  /** The writes of committed transactions. */
  committed: string[];
  /** The effects outside the process and the database, such as `send mail 1`. */
  effects: string[];
  /** The stores in which the session has keys, such as `redis`. No store notices a death. */
  stores: Set<string>;
  /** Whether the session has kept something in the memory of its process. */
  usesMemory: boolean;
  /** The statement that waits for a lock. */
  waiting: string | undefined;
  hasLock: boolean;
  isDead: boolean;
  /**
   * Whether PostgreSQL noticed the death immediately. Then the sentence about the death names the
   * rollback too.
   */
  isGone: boolean;
}

/** Follows the sessions, and says what stays and what ends when a process dies. */
export class Deaths {
  readonly #fates = new Map<number, Fate>();
  readonly #nameOf: NameOf;

  /** The sentences call the sessions by `nameOf`. */
  constructor(nameOf: NameOf = byNumber) {
    this.#nameOf = nameOf;
  }

  #of(session: number): Fate {
    const fate = this.#fates.get(session) ?? {
      writes: [],
      committed: [],
      effects: [],
      stores: new Set(),
      usesMemory: false,
      waiting: undefined,
      hasLock: false,
      isDead: false,
      isGone: false,
    };
    this.#fates.set(session, fate);
    return fate;
  }

  /** Records the death of a process. Says what ends at this death, and what stays. */
  dies({ choice, acts, dead }: Entry, answersFirst: boolean): string {
    const fates = dead.map((session) => this.#of(session));
    for (const fate of fates) {
      fate.isDead = true;
      fate.isGone = fate.waiting === undefined;
    }
    const isOpen = (session: number) =>
      this.#of(session).isGone && acts.some((act) => act.session === session && isEnd(act));
    const open = dead.filter(isOpen).map((session) => this.#of(session));
    return [
      answersFirst
        ? `${this.#nameOf(sessionOf(choice))} answers, and then its process dies`
        : `the process of ${names(dead, this.#nameOf)} dies`,
      ...inPostgreSQL(fates, open),
      ...whatStays(fates),
    ].join('. ');
  }

  /**
   * Whether the sentence about a death already covers this act. The act is then a rollback or a
   * waiting statement.
   */
  hasTold(act: Act): boolean {
    const { isDead, isGone } = this.#of(act.session);
    return isDead && (act.result ? isGone && isEnd(act) : true);
  }

  /**
   * Records an act of step `at`, from 0. Returns a sentence if the process of the session is dead.
   * On a COMMIT or ROLLBACK, this sentence is the only note.
   */
  note({ session, step: { text, effect }, result }: Act, at: number): string | null {
    const fate = this.#of(session);
    if (effect) {
      noteEffect(fate, effect);
      return null;
    }
    fate.waiting = result ? undefined : wordsOf(text);
    const before = undone(fate.writes);
    const rows = result && 'rows' in result ? result.rows : undefined;
    if (rows && /^commit$/i.test(text))
      fate.committed.push(...fate.writes.map(({ words }) => words));
    if (ENDS.test(text)) fate.writes = [];
    else if (rows && hasWritten(text, rows))
      fate.writes.push(...writesIn(text).map(({ words }) => ({ words, at })));
    if (takesSessionLock(text)) fate.hasLock = true;
    if (releasesSessionLock(text)) fate.hasLock = false;
    if (!fate.isDead) return null;
    if (/^rollback$/i.test(text))
      return `${this.#nameOf(session)} is dead, so PostgreSQL rolls its transaction back${before}`;
    // Only an autocommit write commits after the death of its process.
    if (/^commit$/i.test(text)) return 'PostgreSQL commits too, since the statement stands alone';
    return `${this.#nameOf(session)} is dead, but PostgreSQL runs its statement`;
  }
}

function noteEffect(fate: Fate, effect: EffectText) {
  const { text, isInMemory, isAnswer, kills } = effect;
  const store = storeOf(effect);
  if (kills) fate.isDead = true;
  else if (isInMemory) fate.usesMemory = true;
  else if (store) fate.stores.add(store);
  else if (!isAnswer) fate.effects.push(text);
}

/** A command on a key of a store begins with the name of the store. */
const STORE = /^(\w+): /;

/**
 * Returns the store of a command, such as `redis`. Undefined if the effect is no command on a key.
 */
export const storeOf = ({ text, readsClock }: EffectText): string | undefined =>
  readsClock && STORE.exec(text)?.[1];

const isEnd = ({ step }: Act) => ENDS.test(step.text);

/**
 * Returns the sentences about the transactions and locks of a process. `open` has the sessions
 * whose transaction was open at the death.
 */
function inPostgreSQL(fates: Fate[], open: Fate[]): string[] {
  const waiting = fates.flatMap(({ waiting }) => waiting ?? []);
  const lock = fates.some(({ hasLock }) => hasLock) ? ', and its session lock is free' : '';
  const its = open.length > 1 ? `its ${open.length} transactions` : 'its transaction';
  const inLine = waiting.map(
    (words) => `PostgreSQL does not notice yet: ${words} still waits in line`,
  );
  if (open.length > 0)
    return [
      `PostgreSQL rolls ${its} back${undone(open.flatMap(({ writes }) => writes))}${lock}`,
      ...inLine,
    ];
  return inLine.length > 0 ? inLine : [`It has no open transaction${lock}`];
}

/**
 * Returns a sentence for each thing that no rollback changes, and a sentence about the memory of
 * the process.
 */
function whatStays(fates: Fate[]): string[] {
  const committed = fates.flatMap(({ committed }) => committed);
  const effects = fates.flatMap(({ effects }) => effects);
  const stores = new Set(fates.flatMap(({ stores }) => [...stores]));
  return [
    ...(committed.length > 0 ? [`Its commits stay: ${list(committed)}`] : []),
    ...(effects.length > 0 ? [`Its effects stay: ${list(effects)}`] : []),
    ...[...stores].map((store) => `${store} does not notice, and keeps every key`),
    ...(fates.some(({ usesMemory }) => usesMemory) ? ['Its memory is gone'] : []),
  ];
}

const list = (writes: string[]) => [...new Set(writes)].join(', ');

const undone = (writes: Fate['writes']) =>
  writes.length > 0
    ? `: ${list(writes.map(({ words, at }) => `${words} (step ${at + 1})`))} undone`
    : '';

/**
 * Returns the words of a write up to its table, such as `update lab_queue.tasks`. For any other
 * statement, returns the first word.
 */
const wordsOf = (text: string): string =>
  writesIn(text).at(-1)?.words ?? text.split(/\s/, 1)[0] ?? '';
