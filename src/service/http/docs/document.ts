import { version } from '../../../platform/process/project.ts';
import type { newRoutes } from '../new-routes.ts';

type Routes = ReturnType<typeof newRoutes>;
export type Document = ReturnType<Routes['getOpenAPI31Document']>;
type Operation = NonNullable<NonNullable<Document['paths']>[string]['get']>;

const about = {
  openapi: '3.1.0',
  info: {
    title: 'Rowlock',
    version,
    license: { name: 'MIT', identifier: 'MIT' },
    description:
      'Companies post jobs, recruiters claim them, and a job takes no more recruiters than its ' +
      'capacity.\n\nEvery error is `application/problem+json` (RFC 9457). Check `code`, and show ' +
      '`title` or `detail` to people. Send an `Idempotency-Key` with every request that writes. ' +
      'After a 503 or no answer, send the same request with the same key again. The server does it ' +
      'only once.',
  },
  tags: [
    {
      name: 'Claims',
      description: 'A claim gives a recruiter a slot of a job, with or without a lease.',
    },
    {
      name: 'Waitlist',
      description: 'Recruiters wait for a full job. The first in line gets the next free slot.',
    },
    { name: 'Jobs', description: 'Jobs to claim, and how many of their slots remain.' },
    { name: 'Companies', description: 'Companies post jobs.' },
    { name: 'Recruiters', description: 'Recruiters claim jobs.' },
    { name: 'Tasks', description: 'Queued work, and the workers that do it.' },
    {
      name: 'Webhooks',
      description: 'The service sends messages about claims to the endpoints of a company.',
    },
    { name: 'Operation', description: 'The state of the server.' },
  ],
};

/** The security of all operations: no token, or a token. Open addresses need no token. */
const security: Record<string, string[]>[] = [{}, { bearer: [] }];

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'A token of a recruiter, a company or an admin.',
} as const;

const headers = {
  'X-Request-Id': {
    description: 'The id of this request in the log. It is your own id if you sent one.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'How many seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
  },
  Location: {
    description: 'The path of the new resource.',
    schema: { type: 'string' },
    example: '/claims/1',
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the answer to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
} as const;

/** Answers with these statuses are stored with their idempotency key. */
const STORED = ['200', '201', '202', '403', '404', '409'];
const WAIT_FIRST = ['429', '503'];

/**
 * Makes the OpenAPI document of the routes, with the parts that all routes share. The document of a
 * server without tokens does not mention tokens, so its page asks nobody for a token.
 */
export function documentOf(routes: Routes, { tokens }: { tokens: boolean }): Document {
  const document = routes.getOpenAPI31Document({ ...about, ...(tokens && { security }) });
  const schemes = tokens && { securitySchemes: { bearer } };
  document.components = { ...document.components, headers, ...schemes };
  for (const item of Object.values(document.paths ?? {}))
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (operation) addHeaders(operation);
    }
  return document;
}

function addHeaders({ parameters = [], responses = {} }: Operation) {
  const takesKey = parameters.some((each) => 'name' in each && each.name === 'Idempotency-Key');
  for (const [status, response] of Object.entries(responses)) {
    const names: (keyof typeof headers)[] = ['X-Request-Id'];
    if (WAIT_FIRST.includes(status) || (takesKey && status === '409')) names.push('Retry-After');
    if (status === '201') names.push('Location');
    if (takesKey && STORED.includes(status)) names.push('Idempotent-Replayed');
    response.headers = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    );
  }
}
