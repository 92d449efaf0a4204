import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./src/db/schema.ts', './src/lab/chapters/claims/tables.ts'],
  out: './drizzle',
});
