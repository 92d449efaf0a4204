import { expect, test } from 'vitest';
import { documentOf } from '../../../../src/service/http/docs/document.ts';
import { enqueue } from '../../../../src/service/queue/enqueue.ts';
import { makeApp } from '../../../support/app.ts';

/**
 * Operations that must run first, in this order, because later operations read their results. The
 * other operations follow in any order.
 */
const IN_ORDER = [
  'createCompany',
  'createRecruiter',
  'createJob',
  'claimJob',
  'renewClaim',
  'readClaim',
  'acceptOffer',
  'releaseClaim',
  'joinWaitlist',
  'readPlaceInLine',
  'leaveWaitlist',
  'claimJobByGet',
  'cancelTask',
  'retryTask',
  'createEndpoint',
  'testEndpoint',
  'resendDelivery',
  'resendDeliveriesSince',
];

/** Operations that must run last, because they remove what other operations need. */
const AT_THE_END = ['disableEndpoint', 'deleteEndpoint'];

interface Schema {
  example?: unknown;
  properties?: Record<string, Schema>;
}
interface Operation {
  operationId: string;
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { examples?: object }> }>;
}

const { app, db } = await makeApp();
await enqueue(db, [{ kind: 'test', payload: { of: 'the examples' }, attempts: 1 }]);
const operations = Object.entries(documentOf(app, { tokens: true }).paths ?? {})
  .flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
  .sort((a, b) => rank(a) - rank(b));

function rank({ operationId }: Operation): number {
  const last = AT_THE_END.indexOf(operationId);
  if (last !== -1) return IN_ORDER.length + 1 + last;
  const place = IN_ORDER.indexOf(operationId);
  return place === -1 ? IN_ORDER.length : place;
}

/**
 * Makes a request from the examples of an operation. Omits optional parameters without an example.
 */
function exampleOf({ method, path, parameters = [], requestBody }: (typeof operations)[number]) {
  const url = new URL(path, 'http://localhost');
  for (const { in: where, name, required, schema } of parameters) {
    const value = schema.example;
    if (value === undefined && required) throw new Error(`${name} has no example`);
    if (value === undefined) continue;
    if (where === 'path') url.pathname = decodeURI(url.pathname).replace(`{${name}}`, `${value}`);
    if (where === 'query') url.searchParams.set(name, `${value}`);
  }
  const schema = requestBody?.content['application/json'].schema;
  if (!schema) return new Request(url, { method });
  const headers = { 'Content-Type': 'application/json' };
  return new Request(url, { method, headers, body: JSON.stringify(bodyOf(schema)) });
}

const bodyOf = ({ properties = {} }: Schema) =>
  Object.fromEntries(Object.entries(properties).map(([name, { example }]) => [name, example]));

test.each(operations)(
  'the example of $operationId is answered as documented',
  async (operation) => {
    const success = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    expect(success).toHaveLength(1);
    // The app of `makeApp` checks the answer against the schema of its status.
    const response = await app.request(exampleOf(operation));
    expect(response.status).toBe(Number(success[0]));
    await response.body?.cancel();
  },
);

test('every example of a problem has the status of its answer', () => {
  const examples = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      Object.values(content?.['application/problem+json']?.examples ?? {}).map(({ value }) => ({
        status: Number(status),
        value,
      })),
    ),
  );
  expect(examples.length).toBeGreaterThan(100);
  for (const { status, value } of examples) expect(value.status).toBe(status);
});
