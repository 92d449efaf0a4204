import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { makeTmpDir, start } from '../../../support/command.ts';
import { install, packedFileOf } from '../../../support/packages.ts';
import { installLibraries } from '../../../support/programs.ts';

// The bugs of docs/published-bugs.md, found through the package alone. The libraries come unmodified
// from the registry.

let folder: string;
beforeAll(async () => {
  const file = await packedFileOf('explorer');
  folder = makeTmpDir();
  await install(folder, file);
  const libraries = pathToFileURL(await installLibraries()).href;
  writeFileSync(path.join(folder, 'published.explore.mjs'), definitionsFor(libraries));
}, 300_000);

const definitionsFor = (libraries: string) => `import { readFileSync } from 'node:fs';

const inFolder = (name) => new URL('${libraries}/published/' + name);

const exploration = (name, schema, broken) => ({
  name,
  setUp: (db) => db.query(readFileSync(inFolder(schema + '.sql'), 'utf8')),
  sessions: { one: { module: inFolder(name + '.mjs') }, two: { module: inFolder(name + '.mjs') } },
  holds: async (db) => broken === '' || (await db.query(broken)).length === 0,
  most: { seconds: 200 },
});

const LOCKS = 'select count(*) from knex_migrations_lock having count(*) > 1';
const ACCOUNTS = 'select email from accounts group by email having count(*) > 1';

export default [
  exploration('knex-0.95.11', 'knex', LOCKS),
  exploration('knex-0.95.12', 'knex', LOCKS),
  exploration('knex-newest', 'knex', LOCKS),
  exploration('node-pg-migrate-5.10.0', 'node-pg-migrate', ''),
  exploration('node-pg-migrate-6.0.0', 'node-pg-migrate', ''),
  exploration('sequelize-6.7.0', 'sequelize', ACCOUNTS),
  exploration('sequelize-6.8.0', 'sequelize', ACCOUNTS),
];
`;

test('each published bug is found, and each mend holds in all schedules', async () => {
  const args = ['rowlock-explorer', 'explore', 'published.explore.mjs', '--first'];
  const command = start('npx', args, { CI: '1' }, folder);
  expect([(await command.ended).code, command.stderr()]).toEqual([1, '']);
  const verdicts = command
    .stdout()
    .split('\n')
    .flatMap(
      (line) => /^published\.explore\.mjs · (\S+): (\D+)/.exec(line)?.slice(1).join(' ') ?? [],
    );
  expect(verdicts).toEqual([
    'knex-0.95.11 broken in schedule ',
    'knex-0.95.12 broken in schedule ',
    'knex-newest broken in schedule ',
    'node-pg-migrate-5.10.0 broken in schedule ',
    'node-pg-migrate-6.0.0 the rule holds in all ',
    'sequelize-6.7.0 broken in schedule ',
    'sequelize-6.8.0 the rule holds in all ',
  ]);
});
