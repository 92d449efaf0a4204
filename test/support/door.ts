import type { Door, Subscriber } from '../../src/claims/slots.ts';
import type { Database, Transaction } from '../../src/db/client.ts';

/** The door to the slots of a database, with these subscribers. */
export const doorTo = <D extends Database | Transaction>(
  db: D,
  ...subscribers: Subscriber[]
): Door<D> => ({ db, subscribers });
