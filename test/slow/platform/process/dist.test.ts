/**
 * Tests of a deployment, which has only `dist`, `drizzle`, the package files and the dependencies.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { EMBEDDED_PACKAGE } from '../../../../src/platform/postgres/binaries.ts';
import { programOf } from '../../../../src/platform/process/build.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { type Command, makeTmpDir, start } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { DOCTORS } from '../../../support/doctors.ts';
import { follow } from '../../../support/events.ts';
import { EVENTS_OF_WORKER, eventsOf } from '../../../support/server.ts';

const DEPLOYED = ['dist', 'drizzle', 'package.json', 'package-lock.json'];

let deployment: string;
let DATA_DIR: string;
beforeAll(() => {
  deployment = deploy(DEPLOYED);
  DATA_DIR = path.join(makeTmpDir(), 'data');
});

/**
 * Makes a folder with these parts of the project and the production dependencies, but without the
 * packages in `missing`.
 */
function deploy(parts: string[], missing: string[] = []): string {
  const folder = makeTmpDir();
  for (const name of parts) cpSync(inProject(name), path.join(folder, name), { recursive: true });
  const packages = productionDependencies();
  // The packages are links, since copies of 110 MB would take many seconds. The programs find no
  // other packages.
  for (const name of Object.keys(packages).filter(isAtTop)) {
    if (missing.includes(name)) continue;
    const link = path.join(folder, name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(inProject(name), link);
  }
  // npm writes a list of the packages at the end of an install.
  const list = path.join(folder, 'node_modules/.package-lock.json');
  writeFileSync(list, JSON.stringify({ packages }));
  return folder;
}

/** The packages that `npm ci --omit=dev` would install, according to the lock file. */
function productionDependencies(): object {
  const lock = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));
  const packages = Object.entries<{ dev?: boolean; devOptional?: boolean }>(lock.packages);
  return Object.fromEntries(
    packages
      .filter(([, { dev, devOptional }]) => !dev && !devOptional)
      .filter(([name]) => name !== '' && existsSync(inProject(name))),
  );
}

/** Returns whether the package is not inside another package. */
const isAtTop = (name: string) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name);

const run = (program: string, args: string[], env: Record<string, string>, folder = deployment) =>
  start(program, args, { DATA_DIR, PORT: '0', ...env }, folder);

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
  for (const page of ['/', '/company', '/lab'])
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

test('a deployment without the embedded PostgreSQL has no sandbox, and says why', async () => {
  const without = deploy(DEPLOYED, [`node_modules/${EMBEDDED_PACKAGE}`]);
  const env = { DATABASE_URL: await makeDatabase(), LAB: 'on' };
  const server = run(process.execPath, programOf('dist/server.js'), env, without);
  const url = await urlOf(server);
  expect((await fetch(`${url}/claim-job?jobId=1&recruiterId=1`)).status).toBe(200);
  const { ended, events } = await follow((init) =>
    fetch(`${url}/lab/sandbox`, {
      ...init,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(DOCTORS.broken),
    }),
  );
  await ended;
  const detail =
    'The sandbox is off: it needs the embedded PostgreSQL, and this computer does not have it.';
  expect(events.at(-1)).toEqual({ name: 'failed', data: { detail } });
  await stop(server);
  expect(server.stderr()).not.toContain('"level":"error"');
}, 120_000);

test('a deployment migrates, seeds and examines a database', async () => {
  const DATABASE_URL = await makeDatabase();
  for (const [name, words] of [
    ['migrate', /has the newest schema/],
    ['seed', /has companies already/],
    ['doctor', /All is well/],
  ] as const) {
    const command = run(process.execPath, [`dist/${name}.js`], { DATABASE_URL });
    expect((await command.ended).code, command.stderr()).toBe(0);
    expect(command.stdout()).toMatch(words);
  }
  const embedded = run('npm', ['run', 'doctor'], {});
  await embedded.says(/All is well/);
}, 120_000);

test('a deployment can run a worker without a server', async () => {
  const env = { DATABASE_URL: await makeDatabase(), WORKER_PORT: '0' };
  const worker = run(process.execPath, programOf('dist/worker.js'), env);
  const [, ready = ''] = await worker.says(/(http:\S+\/readyz)/);
  expect((await fetch(ready)).status).toBe(200);
  await stop(worker);
  expect(eventsOf(worker)).toEqual(EVENTS_OF_WORKER);
}, 120_000);

test('a running server serves the pages of the build that it started with', async () => {
  const changing = deploy(DEPLOYED);
  const DATABASE_URL = await makeDatabase();
  const serve = () =>
    run(process.execPath, programOf('dist/server.js'), { DATABASE_URL, LAB: 'on' }, changing);
  const server = serve();
  const url = await urlOf(server);
  const naive = 'sources/src/lab/chapters/claims/strategies/naive.ts';
  for (const file of ['pages/board.js', 'pages/docs.js', naive])
    appendFileSync(path.join(changing, 'dist', file), '\n// ANOTHER BUILD');
  const page = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
  const [script = ''] = page.match(/\.\/web\/board-\w+\.js/) ?? [];
  for (const address of [script, '/docs/start.js', '/lab/strategies/naive']) {
    const answer = await fetch(new URL(address, url));
    expect(answer.status).toBe(200);
    expect(await answer.text(), address).not.toContain('ANOTHER BUILD');
  }
  await stop(server);
}, 120_000);

test.each(['pages/lab.css', 'pages/docs.js', 'sources/workshop'])(
  'a server without dist/%s does not start, and names the missing path in one line',
  async (name) => {
    const incomplete = deploy(DEPLOYED);
    rmSync(path.join(incomplete, 'dist', name), { recursive: true });
    const env = { DATABASE_URL: await makeDatabase(), LAB: 'on' };
    const server = run(process.execPath, programOf('dist/server.js'), env, incomplete);
    expect((await server.ended).code).toBe(1);
    expect(server.stdout()).toBe('');
    // The log may say that the lab lacks a store.
    expect(server.stderr().replaceAll(/^\{.*\n/gm, '')).toBe(
      `Cannot read ${path.join(incomplete, 'dist', name)} (ENOENT). Run npm run build.\n`,
    );
  },
  120_000,
);

/** Returns the lines on stderr without the lines of npm itself. */
const ownLines = ({ stderr }: Command) => stderr().replaceAll(/^npm .*\n/gm, '');

test('a checkout without its compiler uses an existing dist, and otherwise says what to run', async () => {
  const checkout = deploy([...DEPLOYED, 'src', 'scripts']);
  const env = { DATABASE_URL: await makeDatabase() };
  const AS_BUILT = 'The compiler is not installed, so dist/ is used as it is.\n';
  const server = run('npm', ['start'], env, checkout);
  await urlOf(server);
  expect(ownLines(server)).toBe(AS_BUILT);
  server.child.kill('SIGTERM');
  await server.ended;
  const doctor = run('npm', ['run', '--silent', 'doctor'], env, checkout);
  expect((await doctor.ended).code).toBe(0);
  expect(ownLines(doctor)).toBe(AS_BUILT);

  rmSync(path.join(checkout, 'dist'), { recursive: true });
  const blind = run('npm', ['run', '--silent', 'doctor'], env, checkout);
  expect((await blind.ended).code).toBe(2);
  expect(ownLines(blind)).toBe(
    'There is no dist/ and no compiler. Run npm ci and npm run build first.\n',
  );
}, 120_000);
