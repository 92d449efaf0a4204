/** Migrates with this version of node-pg-migrate. It makes its table even without migrations. */
export const migrateWith =
  ({ default: migrate }) =>
  async () => {
    try {
      await migrate({
        databaseUrl: process.env.DATABASE_URL,
        dir: import.meta.dirname ?? '.',
        ignorePattern: '.*',
        migrationsTable: 'pgmigrations',
        direction: 'up',
        log: () => {},
      });
      return 'migrated';
    } catch (error) {
      // Another session holds the lock, so the lock works, and this session has nothing to do.
      if (/already running/.test(error.message)) return 'locked';
      throw error;
    }
  };
