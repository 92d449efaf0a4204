import { expect, test } from 'vitest';
import { makeApp } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';

const url = await makeDatabase();
const LISTED = 'https://jobs.example';
const PAGE = 'http://localhost:5173';

async function makeEdge() {
  const { app, requests } = await makeApp({ url, corsOrigins: [LISTED] });
  return {
    ask: (headers: Record<string, string>, method = 'GET') =>
      app.request('/jobs?limit=1', { method, headers }),
    lines: () => requests.filter(({ event }) => event === 'origin refused'),
  };
}

test('a refused origin gets one line in the log, which says what to put into CORS_ORIGINS', async () => {
  const { ask, lines } = await makeEdge();
  const preflight = { Origin: PAGE, 'Access-Control-Request-Method': 'POST' };
  await ask(preflight, 'OPTIONS');
  for (let times = 0; times < 3; times++) await ask({ Origin: PAGE });
  expect(lines()).toEqual([
    {
      event: 'origin refused',
      origin: PAGE,
      advice:
        'If you trust the pages of this origin, set CORS_ORIGINS=https://jobs.example,http://localhost:5173',
    },
  ]);
});

test('requests from an allowed origin, from our own origin and from a program get no line in the log', async () => {
  const { ask, lines } = await makeEdge();
  await ask({ Origin: LISTED });
  await ask({ Origin: 'http://localhost', Host: 'localhost' });
  await ask({});
  expect(lines()).toEqual([]);
});

test('the log has no text of an origin that no browser sends', async () => {
  const { ask, lines } = await makeEdge();
  for (const Origin of ['http://a.example/?token=1', 'javascript:alert(1)', 'x'.repeat(5_000)])
    await ask({ Origin });
  await ask({ Origin: 'null' });
  expect(lines().map(({ origin }) => origin)).toEqual(['not a valid origin', 'null']);
});

test('fifty refused origins get only ten lines a minute in the log', async () => {
  const { ask, lines } = await makeEdge();
  for (let at = 0; at < 50; at++) await ask({ Origin: `https://${at}.evil.example` });
  expect(lines()).toHaveLength(10);
});
