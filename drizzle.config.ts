import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  // Each room keeps its own tables.
  schema: ['./src/db/schema.ts', './src/*/tables.ts'],
  out: './drizzle',
});
