import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProject } from '../src/platform/process/project.ts';

interface Source {
  /**
   * The path from src/, such as `service/claims/rules.ts`. For a file of proof/, the path from the
   * project.
   */
  name: string;
  text: string;
  /** The paths of the imported files, and the names of the imported packages. */
  imports: string[];
}

const sources: Source[] = [...sourcesIn('src', ''), ...sourcesIn('proof', 'proof/')];
const names = new Set(sources.map(({ name }) => name));

function sourcesIn(folder: string, prefix: string): Source[] {
  return readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((found) => {
      const name = prefix + found.split(path.sep).join('/');
      const text = readFileSync(inProject(path.join(folder, found)), 'utf8');
      return { name, text, imports: importsOf(name, text) };
    });
}

function importsOf(name: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.map((each) =>
    each.startsWith('.')
      ? path.posix.join(path.posix.dirname(name), each).replace(/^(\.\.\/)?src\//, '')
      : each,
  );
}

/** Matches the import of a file outside of `src` and `proof`. `rowlock/` is another name of `src`. */
const OUTSIDE = /^(\.\.|scripts|test|workshop|examples|drizzle|deploy|rowlock)\//;

/** A room that reads and writes tables may import these rooms. */
const TABLES = ['platform', 'service/database'];
/** A room of the API may import these rooms. */
const API = [...TABLES, 'service/claims/rules.ts', 'service/http', 'service/idempotency'];
/** The rooms of the webhooks may import these files. */
const OF_WEBHOOKS = ['service/webhooks/own.ts', 'service/webhooks/tables.ts'];
/** Code that runs in a browser may import these rooms. */
const IN_BROWSER = ['client', 'platform/waiting'];
/** The production rooms that each chapter of the lab may import. */
const PRODUCTION_OF: Record<string, string[]> = {
  claims: ['service/claims', 'service/database/schema.ts'],
  queue: ['service/queue'],
  retries: ['service/http', 'service/idempotency'],
  waitlist: ['service/claims', 'service/database/schema.ts', 'service/waitlist'],
};

/**
 * The rooms, and the rooms that each room may import. A room is a folder with everything below it,
 * or a file. If several rooms contain a file, the file belongs to the room with the longest name.
 */
const ROOMS: Record<string, string[]> = {
  'platform/waiting': [],
  'platform/process': ['platform/waiting'],
  'platform/db': ['platform/process', 'platform/waiting'],
  'platform/postgres': ['platform'],
  'service/claims/rules.ts': [],
  'service/config': ['platform'],
  'service/database': [...TABLES, 'service/claims/rules.ts'],
  'service/http': [...API, 'service/config'],
  'service/idempotency': [...TABLES, 'service/http'],
  'service/claims': [...API, 'service/outbox/tables.ts'],
  'service/outbox': TABLES,
  'service/queue': TABLES,
  'service/jobs': [...API, 'service/claims', 'service/companies', 'service/outbox'],
  'service/waitlist': [...API, 'service/claims'],
  'service/companies': API,
  'service/recruiters': [...API, 'service/claims'],
  'service/live': [
    ...API,
    'service/claims/answers.ts',
    'service/companies',
    'service/jobs',
    'service/outbox',
    'service/waitlist/queries.ts',
  ],
  'service/webhooks': [...API, 'service/queue', 'service/webhooks'],
  'service/webhooks/send': ['platform'],
  'service/webhooks/endpoints': [
    ...API,
    'service/companies',
    'service/queue',
    ...OF_WEBHOOKS,
    'service/webhooks/send',
  ],
  'service/webhooks/attempts': [
    ...TABLES,
    'service/queue',
    ...OF_WEBHOOKS,
    'service/webhooks/send',
    'service/webhooks/endpoints',
  ],
  'service/webhooks/relay': [
    ...API,
    'service/outbox',
    'service/queue',
    ...OF_WEBHOOKS,
    'service/webhooks/attempts',
  ],
  'service/webhooks/deliveries': [
    ...API,
    'service/queue',
    ...OF_WEBHOOKS,
    'service/webhooks/endpoints',
    'service/webhooks/attempts',
    'service/webhooks/relay',
  ],
  'service/operation': [
    ...API,
    'service/claims',
    'service/outbox',
    'service/queue',
    'service/waitlist',
    'service/webhooks',
  ],
  'service/program': ['platform', 'service'],
  client: ['platform/waiting'],
  pages: ['platform', 'service/http'],
  'pages/parts': IN_BROWSER,
  'pages/board': [...IN_BROWSER, 'pages/parts'],
  'pages/company': [...IN_BROWSER, 'pages/parts'],
  explorer: ['platform'],
  lab: ['platform', 'explorer', 'service/http', 'lab'],
  'lab/of-server.ts': ['platform', 'service/config', 'lab'],
  'lab/stages': ['platform', 'explorer', 'service/database/migrate.ts', 'lab'],
  'lab/stores': ['platform', 'service/config', 'explorer/trial.ts'],
  'lab/programs': ['platform', 'explorer', 'lab'],
  'lab/classroom': [
    ...API,
    'lab',
    'service/claims',
    'service/jobs',
    'service/live',
    'service/recruiters',
    'service/waitlist',
  ],
  'lab/pages': [...IN_BROWSER, 'pages/parts', 'explorer', 'lab'],
  ...Object.fromEntries(
    chapters().map((name) => [
      `lab/chapters/${name}`,
      ['platform', 'lab/chapter.ts', 'lab/stores', ...(PRODUCTION_OF[name] ?? [])],
    ]),
  ),
  'server.ts': ['*'],
  'worker.ts': ['*'],
  proof: ['*'],
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

/** This wing may import everything. No other wing may import it. */
const LOOKING_ON = 'proof';

function mayImport(from: string, imported: string): boolean {
  const room = roomOf(from);
  const other = roomOf(imported);
  if (room === undefined || other === undefined) return false;
  if (room === other) return true;
  const allowed = ROOMS[room] ?? [];
  if (allowed.includes('*')) return other !== LOOKING_ON;
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

  test('each room of the platform, the service and the pages has a rule of its own', () => {
    const rooms = [...names].map(
      (name) => /^(platform|service|pages)\/[^/]+(?=\/)/.exec(name)?.[0],
    );
    const without = rooms.filter((room) => room !== undefined && !(room in ROOMS));
    expect(without).toEqual([]);
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

  test('no file imports a file that is outside of the wings, except the verdicts', () => {
    const verdicts = '../workshop/verdicts.generated.json';
    const outside = sources.flatMap(({ name, imports }) =>
      imports
        .filter((each) => OUTSIDE.test(each) && each !== verdicts)
        .map((each) => `${name} imports ${each}`),
    );
    expect(outside).toEqual([]);
  });

  test('no file imports itself through other files', () => {
    expect(circles()).toEqual([]);
  });

  test('a strategy imports no other strategy', () => {
    expectNoImport(/^lab\/chapters\/[^/]+\/strategies\/(?!index)/, /\/strategies\/|^hono/);
  });

  test('only code that speaks HTTP imports Hono', () => {
    // A file that imports only `hono/jsx` writes HTML.
    expectNoImport(
      /^(?!service\/(program|http)\/|client\/|pages\/|lab\/pages\/|.*(http|routes)\.tsx?$)/,
      /^(hono(?!\/jsx$)|@hono)\b/,
    );
  });
});

/** Finds circles of files that import each other. Returns a line for each circle. */
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

const WINGS = [
  'src/client',
  'src/explorer',
  'src/lab',
  'src/pages',
  'src/platform',
  'src/service',
  'proof',
];

test('each wing has a README of at most 30 lines', () => {
  const folders = readdirSync(inProject('src'), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => `src/${name}`);
  expect([...folders, 'proof'].toSorted()).toEqual(WINGS.toSorted());
  for (const wing of WINGS) {
    const lines = readFileSync(inProject(`${wing}/README.md`), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length, wing).toBeLessThanOrEqual(30);
  }
});

test('only entry points are directly in src', () => {
  const loose = [...names].filter((name) => !name.includes('/'));
  expect(loose.toSorted()).toEqual(['server.ts', 'worker.ts']);
});

test('code for the browser uses only the client and the types of the service', () => {
  const inBrowser = sources.filter(({ name }) =>
    /^(pages\/(board|company|parts)|lab\/pages)\//.test(name),
  );
  const values = inBrowser.map(({ name, text }) => ({
    name,
    text: text.replaceAll(/^import type [^;]+;/gm, ''),
  }));
  const allowed =
    /^(pages\/|lab\/pages\/|platform\/waiting\/|client\/(index|events)\.ts$|hono\/(jsx\/dom|client)$)/;
  // The editor is a bundle of its own. Another bundle must not grow by it.
  const ofEditor = /^(@codemirror|@lezer)\//;
  const isEditor = (name: string) => name === 'lab/pages/sql/code-editor.ts';
  // Recordings have no transcripts, because the page makes them from the recorded words.
  const ofRecordings = ['lab/pages/site/replay.ts imports explorer/transcript.ts'];
  const found = values.flatMap(({ name, text }) =>
    importsOf(name, text)
      .filter((each) => !allowed.test(each) && !(isEditor(name) && ofEditor.test(each)))
      .map((each) => `${name} imports ${each}`),
  );
  expect(found).toEqual(ofRecordings);
  expect(inBrowser).not.toEqual([]);
  // pages/parts/use-effect.ts says why nobody imports this `useEffect`.
  const effect = /import \{[^}]*\buseEffect\b[^}]*\} from 'hono\/jsx\/dom'/;
  expect(values.filter(({ text }) => effect.test(text)).map(({ name }) => name)).toEqual([]);
  // TypeScript accepts Node's globals in the browser's code, since the client's types come from the
  // server. The texts of the pages also contain the word `process`, so the pattern finds only uses
  // of the global `process`.
  const ofNode = /\bprocess(\??\.\w|\[|;)|\b(Buffer|require|setImmediate|global)\b/;
  expect(values.filter(({ text }) => ofNode.test(text)).map(({ name }) => name)).toEqual([]);
});

test('one file reads the environment', () => {
  const readers = sources.filter(({ text }) => /process\.env\b/.test(text));
  expect(readers.map(({ name }) => name)).toEqual(['platform/process/environment.ts']);
});

test('only project.ts reads its own location, since compiled programs are in another folder', () => {
  // `createRequire` may use `import.meta`, since Node finds packages from everywhere in the
  // project.
  const asking = sources.filter(({ text }) => /(?<!createRequire\()\bimport\.meta\b/.test(text));
  expect(asking.map(({ name }) => name)).toEqual(['platform/process/project.ts']);
});

test('one file reads whether the database was restored, and one file writes this fact', () => {
  const facts = /\binstallation\.(identity|aliveAt|pausedAt)\b|database_identity\(|\bpaused_at\b/;
  const knowing = sources.filter(
    ({ name, text }) =>
      !name.startsWith('lab/') && facts.test(text) && name !== 'service/database/schema.ts',
  );
  expect(knowing.map(({ name }) => name).toSorted()).toEqual([
    'service/database/installation.ts',
    'service/operation/restores.ts',
  ]);
});
