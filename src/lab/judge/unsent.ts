import { PgDatabase, PgSelectQueryBuilderBase } from 'drizzle-orm/pg-core';
import { PgRaw } from 'drizzle-orm/pg-core/query-builders/raw';
import { LOCK } from '../../explorer/unseen.ts';
import { takesAdvisoryLock } from '../../explorer/words.ts';
import { PlainError } from '../../platform/process/errors.ts';

/** A lock that was made with Drizzle. The stack of the error says where. */
class UnsentLock extends PlainError {
  override message = 'this lock is never sent. Add await.';
}

/** The first unsent locks are enough. Without a limit, each schedule would add its locks. */
const MOST = 100;

/** The locks that were made and not sent yet. */
const unsent = new Map<object, UnsentLock>();

type Method = (this: object, ...args: unknown[]) => unknown;

/** Calls `then` after each call of a method, with the object and the result. */
function follow(prototype: object, name: string, then: (self: object, result: unknown) => void) {
  const methods = prototype as Record<string, Method>;
  const original = methods[name] as Method;
  methods[name] = function (...args) {
    const result = original.apply(this, args);
    then(this, result);
    return result;
  };
}

function add(lock: object) {
  if (unsent.size < MOST) unsent.set(lock, new UnsentLock());
}

const remove = (lock: object) => void unsent.delete(lock);

/**
 * Watches the locks that are made with Drizzle in this process. Drizzle sends a statement when the
 * statement is awaited. Without `await`, no lock is taken, and there is no error. The returned
 * function returns the first lock that was not sent.
 *
 * Only Drizzle's own classes know of such a statement, so we change their methods.
 */
export function watchLocks(): () => Error | undefined {
  const select = PgSelectQueryBuilderBase.prototype;
  follow(select, 'for', add);
  // Drizzle reads the SQL of each query that it sends, and of each subquery.
  follow(select, 'getSQL', remove);
  follow(PgDatabase.prototype, 'execute', (_, raw) => {
    if (raw instanceof PgRaw && isLock(raw.getQuery().sql)) add(raw);
  });
  follow(PgRaw.prototype, 'then', remove);
  return () => unsent.values().next().value;
}

const isLock = (text: string): boolean =>
  LOCK.test(text) || takesAdvisoryLock(text) || /^\s*lock\b/i.test(text);
