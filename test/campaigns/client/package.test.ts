import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { freePort } from '../../../src/postgres/postmaster.ts';
import { inProject } from '../../../src/process/project.ts';
import { makeService } from '../../support/app.ts';
import { browserTest as test } from '../../support/browser.ts';
import { makeTmpDir, start } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { blocksIn, linesOf, pageOf } from '../../support/pages.ts';
import { as, WITH_SECRET } from '../../support/tokens.ts';

const port = await freePort();
const origin = `http://localhost:${port}`;
const databaseUrl = await makeDatabase();
const { url } = await makeService(databaseUrl, { corsOrigins: [origin] });
const strict = await makeService(databaseUrl, { corsOrigins: [origin], auth: WITH_SECRET });

let packed: string;
beforeAll(async () => {
  const pack = start('npm', ['run', '--silent', 'pack:client'], {});
  expect(await pack.ended, pack.stderr() + pack.stdout()).toEqual({ code: 0, signal: null });
  packed = inProject(pack.stdout().trim());
});

/** Runs a command in a folder to its end. It must end well. Returns its output. */
async function ran(folder: string, program: string, ...args: string[]): Promise<string> {
  const command = start(program, args, {}, folder);
  expect(await command.ended, command.stderr() + command.stdout()).toEqual({
    code: 0,
    signal: null,
  });
  return command.stdout();
}
/** The installs share their downloads, and do not ask again what is newest. */
const install = (folder: string, ...packages: string[]) =>
  ran(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...packages);
/** Checks types by the compiler of Rowlock, which takes no time to install. */
const checkTypes = (folder: string, ...options: string[]) =>
  ran(folder, inProject('node_modules/.bin/tsc'), '--strict', ...options);

/** Serves a folder by Vite, at the origin that the services allow. */
async function serve(folder: string) {
  // Not by npx, because Vite would outlive npx.
  const program = 'node_modules/vite/bin/vite.js';
  const args = [program, '--port', `${port}`, '--strictPort'];
  const vite = start(process.execPath, args, {}, folder);
  // The next test uses the same port.
  onTestFinished(async () => {
    vite.child.kill('SIGTERM');
    await vite.ended;
  });
  await vite.says(/Local:/);
}

describe('the packed client', () => {
  test('has less than 15 kB, minified', async () => {
    const { outputFiles } = await build({
      entryPoints: [inProject('src/client/index.ts')],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      tsconfigRaw: {},
    });
    expect(outputFiles[0]?.contents.length).toBeLessThan(15_000);
  });

  test('claims a job in an empty Node project, and tsc --strict is silent', async () => {
    const folder = makeTmpDir();
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    await install(folder, packed);
    expect(Object.keys(installed(folder))).toEqual(
      expect.arrayContaining(['node_modules/rowlock-client']),
    );
    const program = `import { createClient } from 'rowlock-client';
const answer = await createClient('${url}').claimJob({ jobId: 24, recruiterId: 9 });
if (answer.ok) console.log(answer.data.claim.jobId);
else if (answer.code === 'job-full') console.log(answer.capacity);`;
    writeFileSync(path.join(folder, 'claim.ts'), program);
    const types = ['--types', 'node', '--typeRoots', inProject('node_modules/@types')];
    const options = ['--module', 'nodenext', '--target', 'es2022', ...types];
    expect(await checkTypes(folder, ...options, 'claim.ts')).toBe('');
    expect(await ran(folder, 'node', 'claim.js')).toBe('24\n');
  });
});

const installed = (folder: string): object =>
  JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')).packages;

/** Writes a file of docs/frontend.md. */
function writeSample(folder: string, name: string) {
  const sample = pageOf('docs/frontend.md').blocks.find(({ tag }) => tag === name);
  const text = sample?.text.replaceAll('http://localhost:3000', url) ?? '';
  writeFileSync(path.join(folder, name), text);
}

test('the five steps of docs/frontend.md lead to a button that claims a job', async ({ open }) => {
  const folder = makeTmpDir();
  const guide = pageOf('docs/frontend.md');
  const [line = ''] = blocksIn('sh', [guide])
    .flatMap(linesOf)
    .flatMap(({ text }) => (text.startsWith('npm install ') ? [text] : []));
  const [, , vite = '', file = ''] = line.split(' ');
  expect(path.basename(file)).toBe(path.basename(packed));
  await install(folder, vite, packed);
  for (const name of ['index.html', 'main.ts']) writeSample(folder, name);
  const options = ['--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const forBrowser = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--types', ''];
  expect(await checkTypes(folder, ...options, ...forBrowser, 'main.ts')).toBe('');
  await serve(folder);
  const page = await openAt(open, `${origin}/`);
  await claimsAndReleases(page);
  await keepsAPress(page, 1);
});

let reactProject: Promise<string> | undefined;
/** Makes the project of examples/react with the packed client, once. An install takes long. */
function makeReactProject() {
  const make = async () => {
    const folder = makeTmpDir();
    cpSync(inProject('examples/react'), folder, { recursive: true });
    const manifest = path.join(folder, 'package.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/"file:[^"]+"/, JSON.stringify(`file:${packed}`)));
    await install(folder);
    return folder;
  };
  reactProject ??= make();
  return reactProject;
}

test('examples/react lists, claims, counts down and releases', async ({ open }) => {
  const folder = await makeReactProject();
  expect(await ran(folder, 'npx', 'tsc')).toBe('');
  await serve(folder);
  await behaves(open);
});

test('the component of docs/frontend.md claims a job', async ({ open }) => {
  const folder = await makeReactProject();
  writeSample(path.join(folder, 'src'), 'App.tsx');
  const main = `import { createRoot } from 'react-dom/client';
import App from './App';
const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);`;
  writeFileSync(path.join(folder, 'src/main.tsx'), main);
  expect(await ran(folder, 'npx', 'tsc')).toBe('');
  await serve(folder);
  const page = await openAt(open, `${origin}/`);
  await claimsAndReleases(page);
  await keepsAPress(page, 1);
});

test('examples/plain does the same without a build', async ({ open }) => {
  const project = makeTmpDir();
  const manifest = path.join(project, 'package.json');
  writeFileSync(manifest, '{}');
  const folder = path.join(project, 'plain');
  cpSync(inProject('examples/plain'), folder, { recursive: true });
  const text = readFileSync(path.join(folder, 'index.html'), 'utf8');
  const [, options = ''] = text.match(/npm install (.*) \S+\.tgz$/m) ?? [];
  await install(folder, ...options.split(' '), packed);
  // Otherwise npm installs into the folder above, which has a package.json.
  expect(readFileSync(manifest, 'utf8')).toBe('{}');
  await serveFiles(folder);
  await behaves(open);
});

/** Serves the files of a folder as they are, as any web server does. */
async function serveFiles(folder: string) {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', origin).pathname.replace(/\/$/, '/index.html');
    try {
      const content = readFileSync(path.join(folder, path.posix.normalize(name)));
      response.writeHead(200, { 'Content-Type': types[path.extname(name)] ?? 'text/plain' });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  await once(server.listen(port, 'localhost'), 'listening');
}

type Open = (address: string) => Promise<Page>;

/** The page asks another origin, the service. So the fixture's watch on other origins is left out. */
const openAt = async (open: Open, address: string) => {
  const page = await (await open('about:blank')).context().newPage();
  await page.goto(address);
  return page;
};

async function claimsAndReleases(page: Page) {
  const row = page.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Claim' }).click();
  await row.getByText('1 of 4').waitFor();
  await row.getByRole('button', { name: 'Release' }).click();
  await row.getByText('0 of 4').waitFor();
  await row.getByRole('button', { name: 'Claim' }).waitFor();
}

/** A press that has begun counts, though another recruiter changes the row meanwhile. */
async function keepsAPress(page: Page, company: number) {
  const row = page.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Claim' }).hover();
  await page.mouse.down();
  await claimByOthers([31], await jobOf(company, 0));
  await row.getByText('1 of 4').waitFor();
  await page.mouse.up();
  await row.getByText('2 of 4').waitFor();
  await row.getByRole('button', { name: 'Release' }).click();
  await row.getByText('1 of 4').waitFor();
  await releaseAll(31);
  await row.getByText('0 of 4').waitFor();
}

/** What both examples do, without tokens and with tokens. */
async function behaves(open: Open) {
  const page = await openAt(open, `${origin}/?service=${url}&company=2&recruiter=21`);
  await claimsAndReleases(page);
  await keepsAPress(page, 2);
  const row = page.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Claim' }).click();
  await row.getByText(/yours for (60|59|58|57) s/).waitFor();
  await row.getByText(/yours for 5[0-6] s/).waitFor();
  await row.getByRole('button', { name: 'Release' }).click();
  await row.getByText('0 of 4').waitFor();
  await expectFull(page);
  await page.close();

  const withTokens = await openAt(open, 'about:blank');
  const { Authorization } = await as('recruiter', '22');
  const given = ['not a token', Authorization.replace('Bearer ', '')];
  withTokens.on('dialog', (dialog) => dialog.accept(given.shift() ?? ''));
  await withTokens.goto(`${origin}/?service=${strict.url}&company=3&recruiter=22`);
  await claimsAndReleases(withTokens);
  expect(given).toEqual([]);
  await withTokens.close();
}

/** Fills the second job while the page cannot hear of it, and claims the job on the page. */
async function expectFull(page: Page) {
  const row = page.getByRole('listitem').nth(1);
  const others = [31, 32, 33, 34];
  await claimByOthers(others, await jobOf(2, 1));
  await row.getByText('4 of 4').waitFor();
  await row.getByRole('button', { name: 'Claim' }).click();
  await row.getByText('Too late: the job is full.').waitFor();
  await row.getByText('4 of 4').waitFor();
  for (const recruiter of others) await releaseAll(recruiter);
}

/** The id of a job of the company. The company's jobs are counted from 0. */
async function jobOf(company: number, at: number): Promise<number> {
  const answer = await fetch(`${url}/jobs?companyId=${company}`);
  const { jobs } = (await answer.json()) as { jobs: { id: number }[] };
  return jobs[at]?.id ?? 0;
}

async function claimByOthers(recruiters: number[], job: number) {
  for (const recruiter of recruiters)
    await fetch(`${url}/claim-job?jobId=${job}&recruiterId=${recruiter}`);
}

async function releaseAll(recruiter: number) {
  const answer = await fetch(`${url}/recruiters/${recruiter}/claims`);
  const { claims } = (await answer.json()) as { claims: { id: number }[] };
  for (const { id } of claims) await fetch(`${url}/claims/${id}`, { method: 'DELETE' });
}
