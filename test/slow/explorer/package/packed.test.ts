import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { inProject } from '../../../../src/platform/process/project.ts';
import { makeTmpDir, start } from '../../../support/command.ts';
import { checkTypes, install, packedFileOf } from '../../../support/packages.ts';
import { pageOf } from '../../../support/pages.ts';

// The folder is empty but for the package. npm takes the dependencies of the package from the
// registry or from its cache. test/campaigns/explorer/package.test.ts runs every example.
let folder: string;
beforeAll(async () => {
  const file = await packedFileOf('explorer');
  folder = makeTmpDir();
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  await install(folder, file);
});

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

async function explorer(...args: string[]) {
  const command = start('npx', ['rowlock-explorer', ...args], {}, folder);
  const { code } = await command.ended;
  return { code, said: command.stdout() + command.stderr() };
}

const TYPED = `import { explore, type Found, RuleBroken } from 'rowlock-explorer';
const found: Found = await explore({
  setUp: (db) => db.query('create table notes (id int)'),
  sessions: { ann: async ({ url }) => url, bob: { command: 'true' } },
  holds: (_, { ann, bob }) => ann.value !== bob.value,
});
if (new RuleBroken('', found.violation).actual) found.assertHolds({ mayBeIncomplete: true });
`;

describe('the packed explorer in an empty project', () => {
  const forNode = ['--types', 'node', '--typeRoots', inProject('node_modules/@types')];
  test.each([
    ['node16', ['--module', 'node16', '--moduleResolution', 'node16']],
    ['nodenext', ['--module', 'nodenext', '--moduleResolution', 'nodenext']],
    ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('passes the strict type check of tsc with the module resolution %s', async (_, options) => {
    write('typed.ts', TYPED);
    const strict = ['--target', 'es2022', '--skipLibCheck', 'false', '--noEmit', ...forNode];
    expect(await checkTypes(folder, ...strict, ...options, 'typed.ts')).toBe('');
    write('wrong.ts', TYPED.replace('bob.value', 'eve.value'));
    await expect(checkTypes(folder, ...strict, ...options, 'wrong.ts')).rejects.toThrow(/eve/);
  });

  test('the ten minutes of docs/explorer-package.md lead to the order that loses money', async () => {
    expect(await explorer('doctor')).toMatchObject({ code: 0 });
    expect(await explorer('init')).toMatchObject({ code: 0 });
    const wrong = await explorer('explore', 'transfer.explore.mjs');
    expect(wrong.code).toBe(1);
    const shown = pageOf('docs/explorer-package.md').blocks.find(({ tag }) => tag === 'transfer');
    expect(wrong.said).toContain(shown?.text ?? 'a transcript');
    expect(await explorer('replay', 'transfer.explore.mjs')).toMatchObject({ code: 1 });
    const text = read('transfer.explore.mjs');
    write('transfer.explore.mjs', text.replace('where id = 1`;', 'where id = 1 for update`;'));
    const right = await explorer('explore', 'transfer.explore.mjs');
    expect(right).toMatchObject({
      code: 0,
      said: expect.stringContaining('the rule holds in all'),
    });
  });

  test('has only links that work in its README', () => {
    const inside = path.join(folder, 'node_modules/rowlock-explorer');
    const readme = readFileSync(path.join(inside, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
    const own = links.filter((link) => !link.startsWith('https://'));
    expect(own).toContain('examples/stock.explore.mjs');
    expect(own.filter((link) => !existsSync(path.join(inside, link)))).toEqual([]);
  });

  test('a module and the explorer`s clock work from the package', async () => {
    write('bank.mjs', MODULE);
    write('leases.explore.mjs', LEASES);
    const { code, said } = await explorer('explore', 'leases.explore.mjs');
    expect([code, said]).toEqual([1, expect.stringContaining('two days pass')]);
  });
});

const MODULE = `import postgres from 'postgres';
export default async function take({ url }) {
  const sql = postgres(url, { max: 1 });
  try {
    const rows = await sql\`update leases set until = now() + interval '1 hour'
      where until < now() returning id\`;
    return rows.length;
  } finally {
    await sql.end();
  }
}
`;
const LEASES = `const module = new URL('bank.mjs', import.meta.url);
export default {
  time: true,
  setUp: (db) => db.query("create table leases (id int, until timestamptz); insert into leases values (1, '2000-01-01')"),
  sessions: { ann: { module }, bob: { module } },
  holds: (_, { ann, bob }) => ann.value + bob.value < 2,
};
`;
