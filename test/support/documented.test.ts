import { expect, test } from 'vitest';
import { makeApp } from './app.ts';
import { documented } from './documented.ts';

const { app } = await makeApp();
const company = { id: 1, name: 'Harbour Analytics', createdAt: '2026-11-21T09:00:00.000Z' };
const notFound = {
  type: '/problems/company-not-found',
  title: 'No such company',
  status: 404,
  detail: 'There is none.',
  code: 'company-not-found',
};

/** Checks an answer with this status and body to a request. Throws if the check finds a fault. */
function judge(path: string, status: number, body: object, method = 'GET') {
  const type = 'code' in body ? 'application/problem+json' : 'application/json';
  const response = Response.json(body, { status, headers: { 'Content-Type': type } });
  const answering = Object.assign(Object.create(app), { request: async () => response });
  return documented(answering).request(path, { method });
}

test('an answer that the OpenAPI document allows is returned unchanged', async () => {
  const response = await judge('/companies/1', 200, company);
  expect(await response.json()).toEqual(company);
  expect((await judge('/companies/1', 404, notFound)).status).toBe(404);
  const elsewhere = { ...notFound, status: 405, code: 'method-not-allowed' };
  expect((await judge('/companies/1', 405, elsewhere, 'PUT')).status).toBe(405);
});

test.each([
  ['a field that is not documented', '/companies/1', 200, { ...company, secret: 1 }],
  ['a field that is missing', '/companies/1', 200, { id: 1, name: 'Harbour Analytics' }],
  ['a field of a wrong type', '/companies/1', 200, { ...company, createdAt: 'today' }],
  ['a status that is not documented', '/companies/1', 201, company],
  ['a code of another operation', '/companies/1', 404, { ...notFound, code: 'job-not-found' }],
  ['a code that does not exist', '/companies/1', 404, { ...notFound, code: 'gone' }],
  ['a problem with a wrong status', '/companies/1', 400, notFound],
  ['an address that is not documented', '/companies/1/secrets', 200, {}],
])('an answer with this fault makes the request throw: %s', async (_, path, status, body) => {
  await expect(judge(path, status, body)).rejects.toThrow(path);
});
