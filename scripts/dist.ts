import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chapters } from '../src/lab/chapters/index.ts';
import { SHOWN_FILES, WORKSHOP } from '../src/lab/lessons/lesson.ts';
import {
  compile,
  compilePrograms,
  inDist,
  type Made,
  put,
  removeOthers,
} from '../src/platform/process/build.ts';
import { inProject } from '../src/platform/process/project.ts';

const PROGRAMS = [
  'scripts/doctor.ts',
  'scripts/migrate.ts',
  'scripts/restored.ts',
  'scripts/seed.ts',
  'src/platform/postgres/guard.ts',
  'src/server.ts',
  'src/worker.ts',
];

/** The module of the lab. The server imports this module at its start, if the build has the lab. */
const LAB_OF_SERVER = './lab/of-server.ts';

/** The files that browsers load, and their names in `dist/pages`. */
const PAGES = [
  { in: 'src/pages/board/island.tsx', out: 'board' },
  { in: 'src/pages/board/page.css', out: 'board' },
  { in: 'src/pages/company/island.tsx', out: 'company' },
  { in: 'src/pages/company/page.css', out: 'company' },
  { in: 'src/pages/icon.svg', out: 'icon' },
  { in: 'src/service/http/docs/start.js', out: 'docs' },
];
const PAGES_OF_LAB = [
  { in: 'src/lab/pages/island.tsx', out: 'lab' },
  { in: 'src/lab/pages/page.css', out: 'lab' },
  { in: 'src/lab/pages/sql/code-editor.ts', out: 'code-editor' },
  { in: 'src/lab/pages/classroom/join/island.tsx', out: 'join' },
  { in: 'src/lab/pages/classroom/join/page.css', out: 'join' },
  { in: 'src/lab/pages/classroom/teacher/island.tsx', out: 'teacher' },
  { in: 'src/lab/pages/classroom/teacher/page.css', out: 'teacher' },
];

/**
 * The sources that the lab shows. They are the strategies, and the production code that the
 * strategies use. The build copies these sources and the texts of the lessons to `dist/sources`.
 */
const SHOWN = ['src/lab/chapters', ...chapters.map(({ production }) => production)];

/**
 * Builds all files in `dist`. They are the programs, the pages and the sources that the lab shows.
 * A deployment needs `dist`, `drizzle`, `package.json` and the production dependencies, and nothing
 * else. Without the lab, the server refuses `LAB=on`.
 *
 * Every build compiles everything, so no build depends on file dates.
 */
export async function buildDist({ lab = true } = {}) {
  const [pages, programs] = await Promise.all([
    compilePages(lab ? [...PAGES, ...PAGES_OF_LAB] : PAGES),
    compilePrograms(PROGRAMS, lab ? [] : [LAB_OF_SERVER]),
  ]);
  const sources = lab ? shownSources() : [];
  put([...sources, ...pages, ...programs]);
  // Other commands put programs into `dist` too, so only these two folders are cleared.
  removeOthers('pages', pages);
  removeOthers('sources', sources);
}

const compilePages = (pages: typeof PAGES) =>
  compile({
    entryPoints: pages.map((page) => ({ ...page, in: inProject(page.in) })),
    outdir: inDist('pages'),
    loader: { '.svg': 'copy' },
    minify: true,
    target: 'es2022',
    jsxImportSource: 'hono/jsx/dom',
  });

const shownSources = (): Made[] =>
  [
    ...SHOWN.flatMap(filesBelow).filter((name) => name.endsWith('.ts')),
    ...filesBelow(WORKSHOP).filter((name) => SHOWN_FILES.includes(path.basename(name))),
  ].map((name) => ({
    file: inDist(path.join('sources', name)),
    content: readFileSync(inProject(name)),
  }));

const filesBelow = (folder: string): string[] =>
  readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  );
