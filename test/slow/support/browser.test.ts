import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { browserTest, expectAccessible, watch } from '../../support/browser.ts';

const scripts: Record<string, string> = {
  '/web/console.js': 'console.error("said aloud")',
  '/web/error.js': 'throw new Error("thrown")',
  '/web/inline.js': 'document.body.append(document.createElement("style"))',
  '/web/elsewhere.js': 'fetch("http://localhost:9/").catch(() => {})',
  '/web/refused.js': 'fetch("/claims").then(() => {})',
};
const server = createServer((request, response) => {
  const script = scripts[request.url ?? ''];
  if (script !== undefined)
    return response.setHeader('Content-Type', 'text/javascript').end(script);
  if (request.url === '/claims') return response.writeHead(403).end();
  if (!request.url?.startsWith('/?')) return response.writeHead(404).end();
  response.setHeader('Content-Type', 'text/html');
  response.setHeader('Content-Security-Policy', "default-src 'self'; connect-src *; img-src data:");
  const name = request.url.slice(2);
  response.end(`<link rel="icon" href="data:,"><script defer src="/web/${name}.js"></script>`);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

browserTest.for([
  ['console', 'console: said aloud'],
  ['error', 'error: thrown'],
  ['inline', 'console: Applying inline style violates'],
  ['elsewhere', 'request: http://localhost:9/'],
  ['missing', 'console: Failed to load resource'],
] as const)('the test of a page fails after this fault: %s', async ([name, fault], { browser }) => {
  const page = await browser.newPage();
  const faults: string[] = [];
  watch(page, url, (each) => faults.push(each));
  await page.goto(`${url}/?${name}`, { waitUntil: 'networkidle' });
  expect(faults.map((each) => each.slice(0, fault.length))).toContain(fault);
});

browserTest(
  'the test of a page does not fail after the service refuses a request',
  async ({ browser }) => {
    const page = await browser.newPage();
    const faults: string[] = [];
    watch(page, url, (each) => faults.push(each));
    await page.goto(`${url}/?refused`, { waitUntil: 'networkidle' });
    expect(faults).toEqual([]);
  },
);

browserTest('expectAccessible() fails on a page that is not accessible', async ({ browser }) => {
  const page = await browser.newPage();
  await page.setContent('<title>Page</title><button></button>');
  await expect(expectAccessible(page)).rejects.toThrow('button-name');
});
