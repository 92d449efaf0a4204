import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  // Each room keeps its own tables.
  schema: ['./src/service/database/schema.ts', './src/service/*/tables.ts'],
  out: './drizzle',
});
