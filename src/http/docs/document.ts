import { readFileSync } from 'node:fs';
import { inProject } from '../../process/project.ts';
import type { newRoutes } from '../new-routes.ts';

type Routes = ReturnType<typeof newRoutes>;
export type Document = ReturnType<Routes['getOpenAPI31Document']>;
type Operation = NonNullable<NonNullable<Document['paths']>[string]['get']>;

const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
  version: string;
};

const about = {
  openapi: '3.1.0',
  info: {
    title: 'Rowlock',
    version,
    license: { name: 'MIT', identifier: 'MIT' },
    description:
      'Companies post jobs, recruiters claim them, and a job takes no more recruiters than its ' +
      'capacity.\n\nEvery error is `application/problem+json` (RFC 9457): act on `code`, show ' +
      '`title` or `detail`. Send an `Idempotency-Key` with what writes, and after a 503 or no ' +
      'answer at all send the same request again: it is done once.',
  },
  tags: [
    { name: 'Claims', description: 'Who holds a slot of which job, for good or with a lease.' },
    { name: 'Jobs', description: 'What can be claimed, and how many slots remain.' },
    { name: 'Companies', description: 'Who posts jobs.' },
    { name: 'Recruiters', description: 'Who claims them.' },
    { name: 'Operation', description: 'How the server is.' },
  ],
  // Either none or a token: which of the two is the server's setting.
  security: [{}, { bearer: [] }] as Record<string, string[]>[],
};

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'Needed where the server is set up with authentication.',
} as const;

const headers = {
  'X-Request-Id': {
    description: 'Names this request in the log; yours, where you sent one.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds after which it makes sense to ask again.',
    schema: { type: 'integer', minimum: 1 },
  },
  Location: {
    description: 'The path of what was made.',
    schema: { type: 'string' },
    example: '/claims/1',
  },
  'Idempotent-Replayed': {
    description: 'Present where this is the answer to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
} as const;

/** Statuses of answers that are stored beside an idempotency key. */
const STORED = ['200', '201', '403', '404', '409'];
const WAIT_FIRST = ['429', '503'];

/** The OpenAPI document of the routes, with what holds for all of them. */
export function documentOf(routes: Routes): Document {
  const document = routes.getOpenAPI31Document(about);
  document.components = { ...document.components, headers, securitySchemes: { bearer } };
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
