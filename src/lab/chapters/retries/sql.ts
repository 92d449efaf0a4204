import type { SqlRules } from '../../chapter.ts';
import { done } from './queries.ts';
import type { RetryStrategy } from './strategy.ts';

/** A script handles one request, and charges the client inside the database. */
export const sql: SqlRules<RetryStrategy> = {
  names: { key: 'the idempotency key of the request' },
  commands: {},
  answer: 'The answer to the client is the last value of :receipt.',
  strategyOf: (name, run) => ({
    name,
    idea: 'a script of SQL',
    promise: 'once',
    // A script may have a lease. So the explorer always lets time pass.
    timed: true,
    async handle(db, { key }) {
      const { names } = await run(db, { key });
      const receipt = names.get('receipt') ?? null;
      return done(receipt === null ? null : Number(receipt));
    },
  }),
};
