import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chapters } from '../src/lab/chapters/index.ts';
import { WORKSHOP } from '../src/lab/lessons/lesson.ts';
import {
  compile,
  compilePrograms,
  inDist,
  type Made,
  put,
  removeOthers,
} from '../src/process/build.ts';
import { inProject } from '../src/process/project.ts';

const PROGRAMS = [
  'scripts/doctor.ts',
  'scripts/migrate.ts',
  'scripts/restored.ts',
  'scripts/seed.ts',
  'src/postgres/guard.ts',
  'src/server.ts',
  'src/worker.ts',
];

/** The files that browsers load, and their names in `dist/pages`. */
const PAGES = [
  { in: 'src/web/board/island.tsx', out: 'board' },
  { in: 'src/web/board/page.css', out: 'board' },
  { in: 'src/web/company/island.tsx', out: 'company' },
  { in: 'src/web/company/page.css', out: 'company' },
  { in: 'src/web/lab/island.tsx', out: 'lab' },
  { in: 'src/web/lab/page.css', out: 'lab' },
  { in: 'src/web/lab/classroom/join/island.tsx', out: 'join' },
  { in: 'src/web/lab/classroom/join/page.css', out: 'join' },
  { in: 'src/web/lab/classroom/teacher/island.tsx', out: 'teacher' },
  { in: 'src/web/lab/classroom/teacher/page.css', out: 'teacher' },
  { in: 'src/web/icon.svg', out: 'icon' },
  { in: 'src/http/docs/start.js', out: 'docs' },
];

/**
 * The sources that the lab shows. They are the strategies, and the production code that the
 * strategies use. The build copies them to `dist/sources`, and the texts of the lessons too.
 */
const SHOWN = ['src/lab/chapters', ...chapters.map(({ production }) => production)];

/**
 * Builds all files in `dist`. They are the programs, the pages and the sources that the lab shows.
 * A deployment needs `dist`, `drizzle`, `package.json` and the production dependencies, and nothing
 * else.
 *
 * Every build compiles everything, so no build depends on file dates.
 */
export async function buildDist() {
  const [pages, programs] = await Promise.all([compilePages(), compilePrograms(PROGRAMS)]);
  const sources = shownSources();
  put([...sources, ...pages, ...programs]);
  // Other commands have programs of their own in `dist`, so only these two folders are cleared.
  removeOthers('pages', pages);
  removeOthers('sources', sources);
}

const compilePages = () =>
  compile({
    entryPoints: PAGES.map((page) => ({ ...page, in: inProject(page.in) })),
    outdir: inDist('pages'),
    loader: { '.svg': 'copy' },
    minify: true,
    target: 'es2022',
    jsxImportSource: 'hono/jsx/dom',
  });

const shownSources = (): Made[] =>
  [
    ...SHOWN.flatMap(filesBelow).filter((name) => name.endsWith('.ts')),
    ...filesBelow(WORKSHOP).filter((name) => path.basename(name) === 'lesson.md'),
  ].map((name) => ({
    file: inDist(path.join('sources', name)),
    content: readFileSync(inProject(name)),
  }));

const filesBelow = (folder: string): string[] =>
  readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  );
