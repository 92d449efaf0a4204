import { names, sessionOf } from './choices.ts';
import type { Act, Entry } from './execution.ts';
import { writesIn } from './history.ts';
import type { EffectText } from './trial.ts';

const ENDS = /^(commit|rollback)$/i;
const SESSION_LOCK = /\bpg_(try_)?advisory_lock/i;
const SESSION_UNLOCK = /\bpg_advisory_unlock/i;

/** What PostgreSQL knows of a session. */
interface Fate {
  /** The writes of the open transaction, such as `update lab_queue.tasks`. */
  writes: string[];
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
}

/** Follows the sessions, and says what stays and what ends when a process dies or time passes. */
export class Deaths {
  readonly #fates = new Map<number, Fate>();

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
    };
    this.#fates.set(session, fate);
    return fate;
  }

  /** Records a choice after which a process is dead. Returns what ends then, and what stays. */
  dies({ choice, acts, dead }: Entry, answersFirst: boolean): string {
    const session = sessionOf(choice);
    const fate = this.#of(session);
    for (const each of dead) this.#of(each).isDead = true;
    const isOpen = acts.some((act) => act.session === session && ENDS.test(act.step.text));
    return [
      answersFirst
        ? `S${session} answers, and then its process dies`
        : `the process of ${names(dead)} dies`,
      inPostgreSQL(fate, isOpen),
      ...whatStays(fate),
    ].join('. ');
  }

  /** Says what ends when time passes. */
  timePasses({ clockJumps }: Entry): string {
    const stores = new Set([...this.#fates.values()].flatMap((fate) => [...fate.stores]));
    const ends = [...stores].map((store) => `${store} removes every key whose time is over`);
    return [clockJumps ? 'two days pass' : 'time passes', ...ends].join('. ');
  }

  /** Records an act. Returns a note if the process of the session is dead. */
  note({ session, step: { text, effect }, result }: Act): string | null {
    const fate = this.#of(session);
    if (effect) {
      noteEffect(fate, effect);
      return null;
    }
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

/** The store of a command, such as `redis`. Undefined if the effect is no such command. */
export const storeOf = ({ text, readsClock }: EffectText): string | undefined =>
  readsClock && STORE.exec(text)?.[1];

/** The sentence about the transaction and the locks. */
function inPostgreSQL(fate: Fate, isOpen: boolean): string {
  if (fate.waiting) return `PostgreSQL does not notice yet: ${fate.waiting} still waits in line`;
  const lock = fate.hasLock ? ', and its session lock is free' : '';
  return isOpen
    ? `PostgreSQL rolls its transaction back${undone(fate)}${lock}`
    : `It has no open transaction${lock}`;
}

/** A sentence for each thing that no rollback changes, and for the memory of the process. */
const whatStays = ({ committed, effects, stores, usesMemory }: Fate): string[] => [
  ...(committed.length > 0 ? [`Its commits stay: ${list(committed)}`] : []),
  ...(effects.length > 0 ? [`Its effects stay: ${list(effects)}`] : []),
  ...[...stores].map((store) => `${store} does not notice, and keeps every key`),
  ...(usesMemory ? ['Its memory is gone'] : []),
];

const list = (writes: string[]) => [...new Set(writes)].join(', ');

const undone = ({ writes }: Fate) => (writes.length > 0 ? `: ${list(writes)} undone` : '');

/** The first words of a statement, up to the table. */
const wordsOf = (text: string): string =>
  writesIn(text).at(-1)?.words ?? text.split(/\s/, 1)[0] ?? '';
