import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Source {
  /** The path from src/, such as `claims/rules.ts`. */
  name: string;
  text: string;
  /** The imported files as paths from src/, and the imported packages by name. */
  imports: string[];
}

const src = fileURLToPath(new URL('../src', import.meta.url));
const sources: Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((found) => {
    const name = found.split(path.sep).join('/');
    const text = readFileSync(path.join(src, found), 'utf8');
    return { name, text, imports: importsOf(name, text) };
  });
const names = new Set(sources.map(({ name }) => name));

function importsOf(name: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.map((each) =>
    each.startsWith('.') ? path.posix.join(path.posix.dirname(name), each) : each,
  );
}

/** Every production room may import these rooms. They know nothing of the project's purpose. */
const BASE = ['process', 'waiting'];
/** A room of the API may import these rooms. */
const API = [...BASE, 'claims/rules.ts', 'db', 'http'];
/** The rooms of the webhooks may import these files, which import none of the rooms. */
const OF_WEBHOOKS = ['webhooks/own.ts', 'webhooks/tables.ts'];
/** The production rooms that each chapter of the lab may import. */
const PRODUCTION_OF: Record<string, string[]> = {
  claims: ['claims'],
  queue: ['queue'],
  retries: ['http'],
};

/**
 * The rooms, and the rooms that each room may import. A room is a folder with everything below it,
 * or a file. If several rooms contain a file, the file belongs to the room with the longest name.
 */
const ROOMS: Record<string, string[]> = {
  'claims/rules.ts': [],
  waiting: [],
  process: ['config.ts'],
  'config.ts': ['process', 'postgres', 'http/auth', 'db/hosts.ts'],
  'db/hosts.ts': [],
  db: [...BASE, 'claims/rules.ts', 'db/hosts.ts'],
  postgres: [...BASE, 'db'],
  http: API,
  claims: API,
  outbox: [...BASE, 'db'],
  queue: [...BASE, 'db'],
  'queue/worker': [...BASE, 'db', 'queue'],
  jobs: [...API, 'claims', 'companies', 'outbox'],
  companies: API,
  recruiters: [...API, 'claims'],
  live: [...API, 'claims/answers.ts', 'companies', 'jobs', 'outbox'],
  webhooks: ['db', 'http', 'queue', 'webhooks'],
  'webhooks/send': BASE,
  'webhooks/endpoints': [...API, 'companies', 'queue', ...OF_WEBHOOKS, 'webhooks/send'],
  'webhooks/attempts': ['db', 'queue', ...OF_WEBHOOKS, 'webhooks/send', 'webhooks/endpoints'],
  'webhooks/relay': [...API, 'outbox', 'queue', ...OF_WEBHOOKS, 'webhooks/attempts'],
  'webhooks/deliveries': [
    ...[...API, 'queue', ...OF_WEBHOOKS],
    ...['webhooks/endpoints', 'webhooks/attempts', 'webhooks/relay'],
  ],
  operation: [...API, 'claims', 'outbox', 'queue', 'webhooks'],
  client: ['waiting'],
  'lab/explore': [...BASE, 'db'],
  'lab/stores': [...BASE, 'config.ts', 'postgres', 'lab/explore/trial.ts'],
  lab: [...BASE, 'db', 'http', 'postgres', 'lab'],
  'lab/programs': [...BASE, 'config.ts', 'db', 'lab', 'postgres'],
  'lab/classroom': [
    ...[...API, 'postgres', 'lab', 'claims', 'jobs', 'live', 'recruiters'],
    ...['service/listen.ts', 'service/otherwise.ts', 'web/http.ts'],
  ],
  web: [...BASE, 'http', 'client'],
  'web/parts': ['client', 'waiting'],
  'web/board': ['client', 'waiting', 'web/parts'],
  'web/company': ['client', 'waiting', 'web/parts'],
  'web/lab': ['client', 'waiting', 'web/parts', 'lab'],
  service: ['*'],
  'server.ts': ['*'],
  'worker.ts': ['*'],
  faults: ['*'],
  bench: ['*'],
  ...Object.fromEntries(
    chapters().map((name) => [
      `lab/chapters/${name}`,
      [...BASE, 'db', 'lab/chapter.ts', 'lab/stores', ...(PRODUCTION_OF[name] ?? [])],
    ]),
  ),
};

function chapters(): string[] {
  const found = sources.map(({ name }) => name.match(/^lab\/chapters\/([^/]+)\//)?.[1]);
  return [...new Set(found)].filter((name) => name !== undefined);
}

const isWithin = (room: string, name: string) => name === room || name.startsWith(`${room}/`);

const roomOf = (name: string): string | undefined =>
  Object.keys(ROOMS)
    .filter((room) => isWithin(room, name))
    .toSorted((one, other) => other.length - one.length)[0];

/** The rooms `faults` and `bench` may import everything. No other room may import them. */
const LOOKING_ON = ['faults', 'bench'];

function mayImport(from: string, imported: string): boolean {
  const room = roomOf(from);
  const other = roomOf(imported);
  if (room === undefined || other === undefined) return false;
  if (room === other) return true;
  const allowed = ROOMS[room] ?? [];
  if (allowed.includes('*')) return !LOOKING_ON.includes(other);
  return allowed.some((each) => isWithin(each, imported));
}

/** Asserts that no file whose name matches `whose` imports a name that matches `forbidden`. */
function expectNoImport(whose: RegExp, forbidden: RegExp) {
  const checked = sources.filter(({ name }) => whose.test(name));
  expect(checked).not.toEqual([]);
  const found = checked.flatMap(({ name, imports }) =>
    imports.filter((each) => forbidden.test(each)).map((each) => `${name} imports ${each}`),
  );
  expect(found).toEqual([]);
}

describe('who may import whom', () => {
  test('every folder is a room with a rule', () => {
    expect([...names].filter((name) => roomOf(name) === undefined)).toEqual([]);
  });

  test.each(Object.keys(ROOMS))('%s imports what its rule allows', (room) => {
    const inside = sources.filter(({ name }) => roomOf(name) === room);
    const broken = inside.flatMap(({ name, imports }) =>
      imports
        .filter((imported) => names.has(imported) && !mayImport(name, imported))
        .map((imported) => `${name} imports ${imported}`),
    );
    expect(broken).toEqual([]);
  });

  test('no file imports itself by way of others', () => {
    expect(circles()).toEqual([]);
  });

  test('a strategy imports no other strategy', () => {
    expectNoImport(/^lab\/chapters\/[^/]+\/strategies\/(?!index)/, /\/strategies\/|^hono/);
  });

  test('Hono stays in what speaks HTTP', () => {
    expectNoImport(
      /^(?!service\/|client\/|http\/|web\/|.*(http|routes)\.tsx?$)/,
      /^(hono|@hono)\b/,
    );
  });
});

/** Circles of files that import each other. Returns a line for each circle. */
function circles(): string[] {
  const importsByName = new Map(sources.map(({ name, imports }) => [name, imports]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, way: string[]) => {
    if (way.includes(name)) found.push([...way.slice(way.indexOf(name)), name].join(' -> '));
    if (way.includes(name) || done.has(name)) return;
    for (const next of importsByName.get(name) ?? [])
      if (names.has(next)) visit(next, [...way, name]);
    done.add(name);
  };
  for (const name of names) visit(name, []);
  return found;
}

test('production does not know the lab, the pages, the bench or the faults in strings either', () => {
  const production = sources.filter(({ name }) =>
    /^(claims|companies|db|http|jobs|live|operation|outbox|postgres|process|queue|recruiters|waiting|webhooks)\//.test(
      name,
    ),
  );
  const found = production.flatMap(({ name, text }) =>
    [...text.matchAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g)]
      .map(([literal]) => literal)
      .filter((literal) => /(?<!\.)\b(lab|bench|faults|workshop)\b|\/web\b/i.test(literal))
      .map((literal) => `${name}: ${literal}`),
  );
  expect(found).toEqual([]);
});

test('only entry points and the configuration stand loose in src', () => {
  const loose = [...names].filter((name) => !name.includes('/'));
  expect(loose.toSorted()).toEqual(['config.ts', 'server.ts', 'worker.ts']);
});

test('what runs in the browser knows of the service its client and types, and nothing else', () => {
  const inBrowser = sources.filter(({ name }) => /^web\/(board|company|lab|parts)\//.test(name));
  const values = inBrowser.map(({ name, text }) => ({
    name,
    text: text.replaceAll(/^import type [^;]+;/gm, ''),
  }));
  const imported = values.flatMap(({ name, text }) => importsOf(name, text));
  const allowed = /^(web\/|waiting\/|client\/(index|events)\.ts$|hono\/(jsx\/dom|client)$)/;
  expect(imported.filter((each) => !allowed.test(each))).toEqual([]);
  expect(inBrowser).not.toEqual([]);
  // web/parts/use-effect.ts says why nobody imports this `useEffect`.
  const effect = /import \{[^}]*\buseEffect\b[^}]*\} from 'hono\/jsx\/dom'/;
  expect(values.filter(({ text }) => effect.test(text)).map(({ name }) => name)).toEqual([]);
  // TypeScript accepts Node's globals in the browser's code, since the client's types come from the
  // server. The pages also speak of processes that die, so only a use of `process` counts.
  const ofNode = /\bprocess(\??\.\w|\[|;)|\b(Buffer|require|setImmediate|global)\b/;
  expect(values.filter(({ text }) => ofNode.test(text)).map(({ name }) => name)).toEqual([]);
});

test('only the configuration reads the environment', () => {
  const readers = sources.filter(({ text }) => /process\.env\b/.test(text));
  expect(readers.map(({ name }) => name)).toEqual(['config.ts']);
});

test('only project.ts asks where it stands, since the compiled programs stand elsewhere', () => {
  // `createRequire` may use `import.meta`, since Node finds packages from everywhere in the
  // project.
  const asking = sources.filter(({ text }) => /(?<!createRequire\()\bimport\.meta\b/.test(text));
  expect(asking.map(({ name }) => name)).toEqual(['process/project.ts']);
});
