/**
 * Settings for the sessions of a worker. PostgreSQL plans each statement once a session, by the
 * indexes.
 *
 * A plan that was made while the table was empty read the whole table. When 50,000 tasks came, a
 * claim took 287 ms instead of 6 ms. Without scans of the whole table, each condition of our
 * statements fits one index, so an old plan is as good as a new one. Planning took 0.4 ms of the
 * 0.6 ms that a claim costs, and nearly the same part of an outcome.
 *
 * If a pooler drops these settings, the statements are slower, but they stay correct. Behind a
 * pooler in transaction mode there are no such settings. No statement is prepared there, and each
 * statement is planned anew.
 */
export const SESSIONS_OF_WORKER = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
};
