/**
 * Tests of a deployment, which has only `dist`, `drizzle`, the package files and the dependencies.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { programOf } from '../../../src/process/build.ts';
import { inProject } from '../../../src/process/project.ts';
import { type Command, makeTmpDir, start } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

let deployment: string;
let DATA_DIR: string;
beforeAll(() => {
  deployment = makeTmpDir();
  DATA_DIR = path.join(makeTmpDir(), 'data');
  for (const name of ['dist', 'drizzle', 'package.json', 'package-lock.json'])
    cpSync(inProject(name), path.join(deployment, name), { recursive: true });
  // The packages are links, since copies of 110 MB would take many seconds. The programs find no
  // other packages.
  for (const name of productionDependencies()) {
    const link = path.join(deployment, name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(inProject(name), link);
  }
});

/** The packages that `npm ci --omit=dev` would install, according to the lock file. */
function productionDependencies(): string[] {
  const lock = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));
  const packages = Object.entries<{ dev?: boolean; devOptional?: boolean }>(lock.packages);
  return packages
    .filter(([, { dev, devOptional }]) => !dev && !devOptional)
    .map(([name]) => name)
    .filter((name) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name))
    .filter((name) => existsSync(inProject(name)));
}

const run = (program: string, args: string[], env: Record<string, string>) =>
  start(program, args, { DATA_DIR, PORT: '0', ...env }, deployment);

const urlOf = async (server: Command) => (await server.says(/listens on (\S+)/))[1] ?? '';

async function stop(server: Command) {
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
}

/** Requests a page. Returns the page, and the status and type of every file that the page loads. */
async function load(page: string) {
  const answer = await fetch(page, { headers: { Accept: 'text/html' } });
  const html = await answer.text();
  const addresses = [...html.matchAll(/<(?:script|link|img)\b[^>]*(?:src|href)="([^"]+)"/g)];
  const loaded = addresses.map(async ([, address = '']) => {
    const { status, headers } = await fetch(new URL(address, page));
    return `${status} ${headers.get('Content-Type')?.split(';')[0]}`;
  });
  return { status: answer.status, loaded: new Set(await Promise.all(loaded)) };
}

const PAGE_PARTS = ['200 text/javascript', '200 text/css', '200 image/svg+xml'];

test('a deployment has no source, no compiler and no test tool', () => {
  expect(readdirSync(deployment).toSorted()).toEqual([
    'dist',
    'drizzle',
    'node_modules',
    'package-lock.json',
    'package.json',
  ]);
  const { resolve } = createRequire(path.join(deployment, 'package.json'));
  for (const name of ['esbuild', 'tsx', 'vitest', 'typescript'])
    expect(() => resolve(name), name).toThrow('Cannot find module');
  expect(resolve('hono')).toContain('hono');
});

test('a deployment serves the API, the pages, the documentation and the lab', async () => {
  const server = run(process.execPath, programOf('dist/server.js'), {});
  const url = await urlOf(server);
  const claimed = await fetch(`${url}/claim-job?jobId=1&recruiterId=1`);
  expect(claimed.status).toBe(200);
  for (const page of ['/', '/lab'])
    expect(await load(url + page), page).toEqual({ status: 200, loaded: new Set(PAGE_PARTS) });
  const docs = await load(`${url}/docs`);
  expect(docs.loaded).toEqual(new Set(['200 text/javascript', '200 text/css', '200 image/png']));
  expect(await (await fetch(`${url}/openapi.json`)).json()).toHaveProperty('openapi', '3.1.0');
  const asked = await fetch(`${url}/lab/strategies/naive`);
  const strategy = (await asked.json()) as { sources: object };
  expect(strategy).toMatchObject({ verdict: 'oversells' });
  expect(JSON.stringify(strategy.sources)).toContain('THE GAP');
  await stop(server);
  expect(server.stderr()).not.toContain('"level":"error"');
}, 120_000);

test('npm start serves a deployment, and has no lab with LAB=off', async () => {
  const server = run('npm', ['start'], { LAB: 'off' });
  const url = await urlOf(server);
  expect(await load(`${url}/`)).toEqual({ status: 200, loaded: new Set(PAGE_PARTS) });
  expect((await load(`${url}/lab`)).status).toBe(404);
  expect((await fetch(`${url}/lab/strategies`)).status).toBe(404);
  server.child.kill('SIGTERM');
  await server.says(/Stopped\./);
  await server.ended;
}, 120_000);

test('a deployment migrates, seeds and examines a database', async () => {
  const DATABASE_URL = await makeDatabase();
  for (const [name, words] of [
    ['migrate', /has the newest schema/],
    ['seed', /has demo data/],
    ['doctor', /All is well/],
  ] as const) {
    const command = run(process.execPath, [`dist/${name}.js`], { DATABASE_URL });
    expect((await command.ended).code, command.stderr()).toBe(0);
    expect(command.stdout()).toMatch(words);
  }
  const embedded = run('npm', ['run', 'doctor'], {});
  await embedded.says(/All is well/);
}, 120_000);
