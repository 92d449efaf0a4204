import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir, start } from '../../support/command.ts';
import { goSettings } from '../../support/languages.ts';
import { install, packedFileOf } from '../../support/packages.ts';
import { installLibraries } from '../../support/programs.ts';

let folder: string;
beforeAll(async () => {
  const file = await packedFileOf('explorer');
  folder = makeTmpDir();
  cpSync(inProject('examples/explorer'), folder, { recursive: true });
  const { devDependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  await install(folder, file, `vitest@${devDependencies.vitest}`);
});

async function ran(...args: string[]) {
  const command = start('npx', args, { CI: '1', ...goSettings() }, folder);
  const { code } = await command.ended;
  return { code, said: command.stdout() + command.stderr() };
}

const IS_BROKEN = '%s is broken without its mend, and holds with it';

test.each(['transfer', 'booking', 'counter'])(IS_BROKEN, expectBothWays);
test.each(['username'])(IS_BROKEN, { tags: ['python'] }, expectBothWays);
test.each(['stock'])(IS_BROKEN, { tags: ['go'] }, expectBothWays);

async function expectBothWays(name: string) {
  const { code, said } = await ran('rowlock-explorer', 'explore', `${name}.explore.mjs`);
  expect([code, said]).toEqual([1, expect.stringMatching(`${name}, wrong: broken in `)]);
  expect(said).toMatch(`${name}, right: the rule holds in all `);
}

test('the test of docs/explorer-package.md passes, and fails without its lock', async () => {
  expect(await ran('vitest', 'run', 'money.test.mjs')).toMatchObject({ code: 0 });
  const file = path.join(folder, 'money.test.mjs');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(' for update', ''));
  const { code, said } = await ran('vitest', 'run', 'money.test.mjs');
  expect([code, said]).toEqual([1, expect.stringContaining('expected 160 to be 100')]);
  expect(said).toContain('ann last looked at accounts at step');
});

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

// The libraries come unmodified from the registry.
test('each published bug of docs/published-bugs.md is found, and each fix holds', async () => {
  const libraries = pathToFileURL(await installLibraries()).href;
  writeFileSync(path.join(folder, 'published.explore.mjs'), definitionsFor(libraries));
  const args = ['rowlock-explorer', 'explore', 'published.explore.mjs', '--first'];
  const command = start('npx', args, { CI: '1' }, folder);
  expect((await command.ended).code, command.stderr()).toBe(1);
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
