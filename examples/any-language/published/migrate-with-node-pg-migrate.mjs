/** Migrates with this node-pg-migrate. There are no migrations, and the table is made all the same. */
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
      // Another session holds the lock. This is what the lock is for.
      if (/already running/.test(error.message)) return 'locked';
      throw error;
    }
  };
