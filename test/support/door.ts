import type { Door, Subscriber } from '../../src/claims/slots.ts';
import type { Database, Transaction } from '../../src/db/client.ts';

/** The door to the slots of a database. Each change of a slot is told to these subscribers. */
export const doorTo = <D extends Database | Transaction>(
  db: D,
  ...subscribers: Subscriber[]
): Door<D> => ({ db, subscribers });
