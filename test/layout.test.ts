import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({
    name: name.split(path.sep).join('/'),
    text: readFileSync(path.join(src, name), 'utf8'),
  }));

/** What a source file imports: paths from src/ for its own, names of packages for others. */
function importsOf({ name, text }: { name: string; text: string }): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (m) => m[1] ?? '',
  );
  return specifiers.map((each) =>
    each.startsWith('.') ? path.posix.join(path.posix.dirname(name), each) : each,
  );
}

/** Asserts that every file that `whose` matches imports nothing that `forbidden` matches. */
function expectNoImport(whose: RegExp, forbidden: RegExp) {
  const checked = sources.filter(({ name }) => whose.test(name));
  expect(checked).not.toEqual([]);
  const found = checked.flatMap((source) =>
    importsOf(source)
      .filter((each) => forbidden.test(each))
      .map((each) => `${source.name} imports ${each}`),
  );
  expect(found).toEqual([]);
}

describe('who may import whom', () => {
  test('the rules of claiming import nothing', () => {
    expectNoImport(/^claims\/rules\.ts$/, /./);
  });

  test('the database knows of the claims only their rules, and nothing of HTTP or the lab', () => {
    expectNoImport(/^db\//, /^(claims\/(?!rules)|jobs|companies|recruiters|lab|app|web|service)/);
  });

  test('what production serves knows nothing of the lab and the bench', () => {
    expectNoImport(
      /^(app\.ts|auth\/|edge\/|claims\/|jobs\/|companies\/|recruiters\/|docs\/|live\/)/,
      /^(lab|web|bench)\//,
    );
  });

  test('what runs in the browser knows of the service its client and types, and nothing else', () => {
    const inBrowser = sources.filter(({ name }) => /^web\/(board|lab|parts)\//.test(name));
    const values = inBrowser.map(({ name, text }) => ({
      name,
      text: text.replaceAll(/^import type [^;]+;/gm, ''),
    }));
    const found = values.flatMap((source) => importsOf(source));
    expect(
      found.filter((each) => !/^(web\/|client\.ts$|hono\/(jsx\/dom|client)$)/.test(each)),
    ).toEqual([]);
    expect(inBrowser).not.toEqual([]);
    // See parts/use-effect.ts.
    const effect = /import \{[^}]*\buseEffect\b[^}]*\} from 'hono\/jsx\/dom'/;
    expect(values.filter(({ text }) => effect.test(text)).map(({ name }) => name)).toEqual([]);
    // Its types are there, since the client's types come from the server.
    const ofNode = /\b(process|Buffer|require|setImmediate|global)\b/;
    expect(values.filter(({ text }) => ofNode.test(text)).map(({ name }) => name)).toEqual([]);
  });

  test('the server of the pages knows nothing that it would not tell everybody', () => {
    expectNoImport(
      /^web\/[^/]+$/,
      /^(?!web\/|http\.ts|problem\.ts|project\.ts|hono|esbuild|node:)/,
    );
  });

  test('only what makes faults knows them', () => {
    expectNoImport(/^(?!faults\/)/, /^faults\//);
  });

  test('a strategy knows the claims and the database, never the explorer nor another strategy', () => {
    expectNoImport(
      /^lab\/strategies\/(?!index)/,
      /^lab\/(explore|strategies|race|judge|http)|^app|^hono/,
    );
  });

  test('Hono stays in the app, the listener, the client and the http files', () => {
    expectNoImport(
      /^(?!app\.ts|listen\.ts|client\.ts|web\/|.*(http|routes)\.tsx?$)/,
      /^(hono|@hono)\b/,
    );
  });
});

test('only the configuration reads the environment', () => {
  const readers = sources.filter(({ text }) => /process\.env\b/.test(text));
  expect(readers.map(({ name }) => name)).toEqual(['config.ts']);
});

test('only project.ts knows where the sources are, since what they are compiled to is elsewhere', () => {
  // A package is found from anywhere in the project.
  const asking = sources.filter(({ text }) => /(?<!createRequire\()\bimport\.meta\b/.test(text));
  expect(asking.map(({ name }) => name)).toEqual(['project.ts']);
});

test('no source file is longer than 200 lines', () => {
  const long = sources.filter(({ text }) => text.split('\n').length > 201);
  expect(long.map(({ name }) => name)).toEqual([]);
});
