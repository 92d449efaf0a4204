import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import path from 'node:path';
import { inProject } from '../process/project.ts';

/** A file that pages are made of. Its name has a hash of its content, so it never changes. */
export interface Asset {
  name: string;
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

export interface Bundle {
  /** All that is served, by name: what is not in here cannot be asked for. */
  assets: Map<string, Asset>;
  /** The name that `file`, such as board.js, has with its hash. */
  nameOf(file: string): string;
}

/** A page is a script and a stylesheet of its own, which import what pages share. */
export const pages = ['board', 'lab'] as const;
export type PageName = (typeof pages)[number];

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

let bundled: Promise<Bundle> | undefined;

/** The bundle of this server's sources, made in some 100 ms when first asked for. */
export const readBundle = (): Promise<Bundle> => {
  bundled ??= makeBundle().catch((error) => {
    // The next request tries again: there may have been no free file.
    bundled = undefined;
    throw error;
  });
  return bundled;
};

async function makeBundle(): Promise<Bundle> {
  const { build, stop } = loadEsbuild();
  const building = build({
    absWorkingDir: inProject('src/web'),
    entryPoints: [
      ...pages.flatMap((page) => [
        { in: `./${page}/island.tsx`, out: page },
        { in: `./${page}/page.css`, out: page },
      ]),
      { in: './icon.svg', out: 'icon' },
    ],
    entryNames: '[name]-[hash]',
    outdir: '/',
    loader: { '.svg': 'copy' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx/dom',
    // Otherwise it would look for one, and find what is meant for the type checker.
    tsconfigRaw: {},
  });
  // Its process would wait for more, for as long as the server runs.
  const { outputFiles } = await building.finally(stop);
  const assets = outputFiles.map(({ path: at, contents }) => ({
    name: path.basename(at),
    type: types[path.extname(at)] ?? 'application/octet-stream',
    content: Uint8Array.from(contents),
  }));
  const names = new Map(assets.map(({ name }) => [name.replace(/-[A-Z0-9]+(?=\.\w+$)/, ''), name]));
  return {
    assets: new Map(assets.map((asset) => [asset.name, asset])),
    nameOf(file) {
      const name = names.get(file);
      if (name === undefined) throw new Error(`the bundle has no ${file}`);
      return name;
    },
  };
}

/** Starting a process takes six files on Linux. Other threads may open files at the same time. */
const FILES_NEEDED = 16;

/**
 * Loads esbuild for the first page, since esbuild takes 10 MB. Throws EMFILE if few files are free,
 * before two things can go wrong. Node never forgets that it could not load esbuild (`import()` is
 * worse than `require` there). And esbuild 0.28 ends the server if its own process cannot start.
 */
function loadEsbuild(): typeof import('esbuild') {
  const opened: number[] = [];
  try {
    while (opened.length < FILES_NEEDED) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const file of opened) closeSync(file);
  }
  return createRequire(import.meta.url)('esbuild');
}
