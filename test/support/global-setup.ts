import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../../src/config.ts';
import { prepareDatabase } from '../../src/db/migrate.ts';
import { openScratch } from '../../src/postgres/scratch.ts';
import { buildProgram } from '../../src/process/build.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of the test run's own; the template and the files' databases are beside it. */
    scratchUrl: string;
    templateName: string;
    /** The service, compiled. */
    serverProgram: string;
  }
}

/** One PostgreSQL a run, with a migrated template: each test file copies it in some 50 ms. */
export default async function setup(project: TestProject) {
  const scratch = await openScratch(readConfig().databaseUrl);
  const templateName = `${new URL(scratch.url).pathname.slice(1)}_template`;
  const sql = postgres(scratch.url, { max: 1 });
  await sql`CREATE DATABASE ${sql(templateName)}`;
  await sql.end();
  const template = new URL(scratch.url);
  template.pathname = templateName;
  await prepareDatabase(template.href, { demoData: true });
  project.provide('scratchUrl', scratch.url);
  project.provide('templateName', templateName);
  project.provide('serverProgram', await buildProgram('src/server.ts'));
  return () => scratch.stop();
}
