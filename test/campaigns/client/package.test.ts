import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { freePort } from '../../../src/platform/postgres/postmaster.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeService } from '../../support/app.ts';
import { browserTest as test } from '../../support/browser.ts';
import { makeTmpDir, start } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { checkTypes, install, packedFileOf, ran } from '../../support/packages.ts';
import { blocksIn, linesOf, pageOf } from '../../support/pages.ts';
import { as, WITH_SECRET } from '../../support/tokens.ts';

const port = await freePort();
const origin = `http://localhost:${port}`;
const databaseUrl = await makeDatabase();
const { url } = await makeService(databaseUrl, { corsOrigins: [origin] });
const strict = await makeService(databaseUrl, { corsOrigins: [origin], auth: WITH_SECRET });

let packed: string;
beforeAll(async () => {
  packed = await packedFileOf('client');
});

/** Starts Vite for a folder, at the origin that the services allow. */
async function serve(folder: string) {
  // We do not use npx, because Vite would keep running after the end of npx.
  const program = 'node_modules/vite/bin/vite.js';
  const args = [program, '--port', `${port}`, '--strictPort'];
  const vite = start(process.execPath, args, {}, folder);
  // Wait for the end of Vite, because the next test uses the same port.
  onTestFinished(async () => {
    vite.child.kill('SIGTERM');
    await vite.ended;
  });
  await vite.says(/Local:/);
}

// test/slow/client/package.test.ts tests the package in an empty project.
/** Writes into the folder a file that docs/frontend.md shows. */
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
/**
 * Makes the project of examples/react with the packed client. Makes it only once, because this
 * takes long.
 */
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

test('examples/plain lists, claims, counts down and releases without a build', async ({ open }) => {
  const project = makeTmpDir();
  const manifest = path.join(project, 'package.json');
  writeFileSync(manifest, '{}');
  const folder = path.join(project, 'plain');
  cpSync(inProject('examples/plain'), folder, { recursive: true });
  const text = readFileSync(path.join(folder, 'index.html'), 'utf8');
  const [, options = ''] = text.match(/npm install (.*) \S+\.tgz$/m) ?? [];
  await install(folder, ...options.split(' '), packed);
  // The page's command has `--prefix`. Without `--prefix`, npm would install into the folder above,
  // which has a package.json.
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

/**
 * Opens a page without the fixture's check of requests to other origins. This page must send
 * requests to the service, which has a different origin.
 */
const openAt = async (open: Open, address: string) => {
  const page = await (await open('about:blank')).context().newPage();
  await page.goto(address);
  return page;
};

async function claimsAndReleases(page: Page) {
  const row = page.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Claim' }).click();
  await row.getByText('1 of 4').waitFor();
  await release(page, row, '0 of 4');
  await row.getByRole('button', { name: 'Claim' }).waitFor();
}

/**
 * Releases the row's claim, and waits for the service's answer. The page shows the release before it
 * is sent. A test that closes the page then would leave the claim to the next test.
 */
async function release(page: Page, row: Locator, shown: string) {
  const answered = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
  await row.getByRole('button', { name: 'Release' }).click();
  await row.getByText(shown).waitFor();
  await answered;
}

/** Checks that a click counts even if the row changes between its mouse down and its mouse up. */
async function keepsAPress(page: Page, company: number) {
  const row = page.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Claim' }).hover();
  await page.mouse.down();
  await claimByOthers([31], await jobOf(company, 0));
  await row.getByText('1 of 4').waitFor();
  await page.mouse.up();
  await row.getByText('2 of 4').waitFor();
  await release(page, row, '1 of 4');
  await releaseAll(31);
  await row.getByText('0 of 4').waitFor();
}

/** Checks the behaviour of an example, first without tokens and then with tokens. */
async function behaves(open: Open) {
  const page = await openAt(open, `${origin}/?service=${url}&company=2&recruiter=21`);
  await claimsAndReleases(page);
  await keepsAPress(page, 2);
  const row = page.getByRole('listitem').first();
  await row.getByRole('button', { name: 'Claim' }).click();
  await row.getByText(/yours for (60|59|58|57) s/).waitFor();
  await row.getByText(/yours for 5[0-6] s/).waitFor();
  await release(page, row, '0 of 4');
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

/** Fills the second job, and claims it on the page. The page must say that the job is full. */
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

/** Returns the id of a job of the company. `at` counts the company's jobs from 0. */
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
