import { execFileSync } from 'node:child_process';
import { inProject } from '../src/platform/process/project.ts';
import type { Document } from '../src/service/http/docs/document.ts';

/** The file with the operations and the types of the client. */
export const OPERATIONS_FILE = 'src/client/operations.generated.ts';

/** A schema of the OpenAPI document. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
}

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema; examples?: Record<string, { value: unknown }> }>;

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

/** Writes the operations of the API as TypeScript: a table for the client, and their types. */
export function operationsOf(document: Document): string {
  const { schemas = {} } = document.components ?? {};
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      ...operation,
      request: `${method.toUpperCase()} ${path}`,
    })),
  );
  // The client has no calls for operators. Other code of the client reads the streams.
  const calls = operations.filter((each) => !each.tags.includes('Operation') && !isStream(each));
  return formatted([
    '// Written by `npm run generate:client` from the routes of the service. Do not edit.\n',
    '/** An id up to 2⁵³ − 1 is a number. A larger id is a string. */\nexport type Id = number | string;\n',
    '/** The path and the method of each operation. The default method is GET. */\nexport const OPERATIONS = {',
    ...calls.map(({ operationId, request }) => `  ${operationId}: '${inShort(request)}',`),
    '} as const;\n',
    '/** What each operation takes and answers. */\nexport interface Operations {',
    ...calls.map(typesOf),
    '}\n',
    ...Object.entries(schemas)
      // `Id` is written above already, with a comment for people.
      .filter(([name]) => name !== 'Id')
      .map(([name, schema]) => declarationOf(name, schema as Schema)),
  ]);
}

/** Returns the request as the client keeps it, such as `/claims/:id DELETE`. */
function inShort(request: string): string {
  const [method = '', path = ''] = request.split(' ');
  const short = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return method === 'GET' ? short : `${short} ${method}`;
}

/** Formats the lines as `npm run fix` does. */
const formatted = (lines: string[]): string =>
  execFileSync(
    inProject('node_modules/.bin/biome'),
    ['format', `--stdin-file-path=${OPERATIONS_FILE}`],
    { input: lines.join('\n'), encoding: 'utf8', cwd: inProject('.') },
  );

const isStream = ({ responses }: Operation): boolean =>
  responses['200']?.content?.['text/event-stream'] !== undefined;

function typesOf({ operationId, summary, request, ...operation }: Operation & { request: string }) {
  const codes = [...new Set(problemsOf(operation))].toSorted().map((code) => `'${code}'`);
  return [
    `  /** ${summary}. \`${request}\` */`,
    `  ${operationId}: {`,
    `    args: ${argsOf(operation)};`,
    `    data: ${dataOf(operation)};`,
    `    problems: ${codes.join(' | ')};`,
    '  };',
  ].join('\n');
}

type Unnamed = Pick<Operation, 'parameters' | 'requestBody' | 'responses'>;

/** Returns one type with the parameters of the path and the query, and the fields of the body. */
function argsOf({ parameters = [], requestBody }: Unnamed): string {
  const inUrl = parameters.filter((each) => each.in === 'path' || each.in === 'query');
  const body = requestBody?.content['application/json']?.schema;
  const fields = [
    ...inUrl.map(({ name, schema, ...rest }) => {
      const isGiven = rest.in === 'path' || rest.required === true;
      return { name, isGiven, type: inUrlType(name, schema), about: schema.description };
    }),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      isGiven: body?.required?.includes(name) === true,
      type: typeOf(schema),
      about: schema.description,
    })),
  ];
  const names = fields.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error(`two arguments have one name: ${names}`);
  return inBraces(fields);
}

/**
 * Returns the type of a parameter in a URL. A number may be given as a string, because URLs are
 * text.
 */
function inUrlType(name: string, schema: Schema): string {
  if (/^id$|Id$/.test(name)) return schema.type === 'array' ? 'Id | readonly Id[]' : 'Id';
  return schema.type === 'integer' || name === 'limit' ? 'number | string' : typeOf(schema);
}

interface Field {
  name: string;
  isGiven: boolean;
  type: string;
  /** The text that an editor shows beside the field. */
  about: string | undefined;
}

const inBraces = (fields: Field[]): string => `{ ${fields.map(fieldOf).join(' ')} }`;

const fieldOf = ({ name, isGiven, type, about }: Field): string =>
  commentOf(about) + (isGiven ? `${name}: ${type};` : `${name}?: ${type} | undefined;`);

const commentOf = (about: string | undefined): string => (about ? `\n/** ${about} */\n` : '');

function dataOf({ responses }: Unnamed): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = success?.content?.['application/json']?.schema;
  return schema ? typeOf(schema) : 'undefined';
}

/** Returns the codes of the problems that an operation may answer. */
const problemsOf = ({ responses }: Unnamed): string[] =>
  Object.values(responses).flatMap(({ content }) =>
    Object.values(content?.['application/problem+json']?.examples ?? {}).map(
      ({ value }) => (value as { code: string }).code,
    ),
  );

function declarationOf(name: string, schema: Schema): string {
  // The client has its own type `Problem`, which contains `ProblemBody`.
  return `${commentOf(schema.description)}export type ${name === 'Problem' ? 'ProblemBody' : name} = ${typeOf(schema)};\n`;
}

function typeOf(schema: Schema): string {
  const { $ref, anyOf, oneOf, type, items, properties } = schema;
  if ($ref) return $ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const several = anyOf ?? oneOf;
  if (several) return [...new Set(several.map(typeOf))].join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ');
  if (type === 'null') return 'null';
  if (type === 'array') return `(${typeOf(items ?? {})})[]`;
  if (properties)
    return Object.keys(properties).length === 0 ? 'Record<string, never>' : objectOf(schema);
  if (type === 'integer') return 'number';
  return type === undefined || type === 'object' ? 'unknown' : type;
}

const objectOf = ({ properties = {}, required = [] }: Schema): string =>
  inBraces(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      isGiven: required.includes(name),
      type: typeOf(schema),
      about: schema.description,
    })),
  );

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
