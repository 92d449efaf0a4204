import { expect, test } from 'vitest';
import { collectLog, makeApp, makeService } from '../support/app.ts';
import { makeDatabase } from '../support/database.ts';
import { WITH_SECRET } from '../support/tokens.ts';

const databaseUrl = await makeDatabase();
const workshop = await makeService(databaseUrl);
const production = await makeService(databaseUrl, {
  lab: false,
  auth: WITH_SECRET,
  log: collectLog().log,
});
const asPage = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

test('a page may load files only from the service, and no site may show the page in a frame', async () => {
  for (const path of ['/', '/company', '/lab']) {
    const { status, headers } = await fetch(workshop.url + path, asPage);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
    const policy = headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('Cache-Control')).toBe('no-cache');
  }
});

test('the answer 304 for an unchanged page has the same security policy as the page', async () => {
  for (const path of ['/', '/company', '/lab', '/docs']) {
    const first = await fetch(workshop.url + path, asPage);
    const etag = first.headers.get('ETag') ?? '';
    const again = await fetch(workshop.url + path, {
      headers: { ...asPage.headers, 'If-None-Match': etag },
    });
    expect(again.status).toBe(304);
    for (const name of ['Content-Security-Policy', 'Cache-Control', 'ETag'])
      expect(again.headers.get(name), name).toBe(first.headers.get(name));
  }
});

test('a page loads its files from relative addresses, and caches may keep the files for ever', async () => {
  const html = await (await fetch(`${workshop.url}/lab`, asPage)).text();
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, each = '']) => each);
  expect(addresses.length).toBeGreaterThan(5);
  for (const address of addresses) {
    expect(address).toMatch(/^\.\//);
    const { status, headers } = await fetch(new URL(address, `${workshop.url}/lab`));
    expect(status).toBe(200);
    if (address.startsWith('./web/')) expect(headers.get('Cache-Control')).toContain('immutable');
  }
  expect((await fetch(`${workshop.url}/web/board.js`)).status).toBe(404);
  expect((await fetch(`${workshop.url}/web/http.ts`)).status).toBe(404);
});

test('a program that asks for JSON at the address of a page gets the problem 404', async () => {
  const { app } = await makeApp();
  const expected = await (await app.request('/')).json();
  const answer = await fetch(workshop.url, { headers: { Accept: 'application/json' } });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual(expected);
  expect((await fetch(workshop.url)).status).toBe(200);
});

test('outside workshop mode, the lab has no page, and no page has a link to the lab', async () => {
  const page = await fetch(production.url, asPage);
  expect(page.status).toBe(200);
  expect(await page.text()).not.toContain('./lab');
  expect((await fetch(`${production.url}/lab`, asPage)).status).toBe(404);
  expect(await (await fetch(workshop.url, asPage)).text()).toContain('./lab');
});

test('pages load without a token, but their data needs a token', async () => {
  const html = await (await fetch(production.url, asPage)).text();
  const [script = ''] = html.match(/\.\/web\/board-\w+\.js/) ?? [];
  expect((await fetch(new URL(script, production.url))).status).toBe(200);
  expect((await fetch(`${production.url}/jobs`)).status).toBe(401);
  expect((await fetch(`${production.url}/company`, asPage)).status).toBe(200);
  expect((await fetch(`${production.url}/companies/1/endpoints`)).status).toBe(401);
});

test.each(['/', '/company', '/lab'])('the page %s allows only GET and HEAD', async (path) => {
  const answer = await fetch(`${workshop.url}${path}`, { method: 'POST' });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('Allow')).toBe('GET, HEAD');
});
