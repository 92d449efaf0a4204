import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { labMeanings } from '../../src/lab/problems.ts';
import { type Document, documentOf } from '../../src/service/http/docs/document.ts';
import type { App } from '../../src/service/program/app.ts';

interface ProblemBody {
  code: string;
  status: number;
}

/** The codes of the problems that every address may have. No operation documents these codes. */
const GENERAL_CODES = [
  'method-not-allowed',
  'not-found',
  'body-too-large',
  'unsupported-media-type',
];
/** The paths that the OpenAPI document leaves out: for operators, readers, the lab and one test. */
const UNDOCUMENTED =
  /^\/(healthz|readyz|metrics|openapi\.json|docs(\/.*)?|problems(\/.*)?|lab\/.*|page)$/;

type Operation = NonNullable<NonNullable<Document['paths']>[string]['get']>;
type Answer = NonNullable<Operation['responses']>[string];

/**
 * Makes `app.request` check each answer against the OpenAPI document. The request throws unless the
 * answer's status, type, body and problem code are documented for the operation.
 */
export function documented(app: App): App {
  const check = checkOf(app);
  const ask = app.request;
  app.request = async (input, init, ...rest) => {
    const response = await ask(input, init, ...rest);
    const request =
      input instanceof Request
        ? input
        : new Request(urlOf(input), { method: init?.method ?? 'GET' });
    const wrong = await check(request.method, new URL(request.url).pathname, response);
    if (wrong) throw new Error(`${request.method} ${request.url}: ${response.status} ${wrong}`);
    return response;
  };
  return app;
}

/**
 * Keeps one check for each list of operations. A new check takes 20 ms to make the document, and
 * 70 ms to compile its schemas. Nearly all apps of a test run have the same operations.
 */
const checks = new Map<string, ReturnType<typeof checkOver>>();
function checkOf(app: App) {
  const operations = app.openAPIRegistry.definitions.map((each) =>
    each.type === 'route' ? `${each.route.method} ${each.route.path}` : each.type,
  );
  const key = operations.join('\n');
  const check = checks.get(key) ?? checkOver(documentOf(app, { tokens: true }));
  checks.set(key, check);
  return check;
}

const urlOf = (input: string | URL) => new URL(input, 'http://localhost');

/**
 * Makes a function that checks answers. The function returns a text about the difference between an
 * answer and the document, or undefined if there is no difference.
 */
function checkOver(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed(document) as object, 'api');
  const schemaAt = (...pointer: string[]) => {
    const path = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
    const validate = ajv.getSchema(`api#/${path.map(encodeURIComponent).join('/')}`);
    if (!validate) throw new Error(`no schema at ${pointer.join(' ')}`);
    return validate;
  };
  const isProblem = schemaAt('components', 'schemas', 'Problem');

  return async (method: string, path: string, response: Response): Promise<string | undefined> => {
    const { status } = response;
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const isRead = /json$/.test(type) && method !== 'HEAD';
    const body = isRead ? ((await response.clone().json()) as Partial<ProblemBody>) : undefined;
    const isError = type === 'application/problem+json';
    if (isError && body) {
      const wrong = errorsOf(isProblem, asOfApi(body));
      if (wrong || body.status !== status) return `is no proper problem: ${wrong}`;
      if (GENERAL_CODES.includes(body.code ?? '')) return undefined;
    }
    if (UNDOCUMENTED.test(path) || method === 'OPTIONS') return undefined;
    const template = templateOf(document, path) ?? '';
    const verb = (method === 'HEAD' ? 'get' : method.toLowerCase()) as 'get';
    const operation = document.paths?.[template]?.[verb];
    // The service may refuse a request before it searches for an operation at the address.
    if (!operation) return isError ? undefined : 'is answered where nothing is documented';
    const answer = operation.responses?.[status] as Answer | undefined;
    if (!answer) return isError && method === 'HEAD' ? undefined : 'is no documented status';
    const content = answer.content?.[type];
    if (!content) return `has the type ${type}, which is not documented`;
    if (body === undefined) return undefined;
    const examples = Object.values(content.examples ?? {}) as { value: ProblemBody }[];
    if (isError && !examples.some(({ value }) => value.code === body.code))
      return `has the code ${body.code}, which is not documented here`;
    const responses = ['paths', template, verb, 'responses', String(status)];
    return errorsOf(schemaAt(...responses, 'content', type, 'schema'), body);
  };
}

/**
 * Replaces a problem code of the lab with a code of the API, because the API lacks the lab's codes.
 */
const asOfApi = (body: Partial<ProblemBody>) =>
  Object.hasOwn(labMeanings, body.code ?? '') ? { ...body, code: 'busy' } : body;

const errorsOf = (validate: ValidateFunction, body: unknown): string | undefined =>
  validate(body) ? undefined : JSON.stringify([validate.errors, body]);

/** Returns the documented address that matches a path. `/jobs/events` comes before `/jobs/{id}`. */
const templateOf = (document: Document, path: string): string | undefined =>
  Object.keys(document.paths ?? {})
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .find((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));

/** Copies schemas. The copies forbid fields that are not documented. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, each]) => [key, closed(each)]));
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
