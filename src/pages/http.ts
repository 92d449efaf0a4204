import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import type { Mount } from '../service/http/mount.ts';
import { FOR_EVER, newRoutes, revalidated } from '../service/http/new-routes.ts';
import { methodNotAllowed } from '../service/http/problems.ts';
import { type Bundle, type PageName, readBundle } from './bundle.ts';
import { Shell, type ShellProps } from './shell.tsx';

/**
 * A page may load files from this service and send requests to this service. Inline scripts and
 * other sites are forbidden.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The answers at these addresses contain no data, so everybody may read them without a token. */
const OPEN_PAGES = ['/', '/company', '/lab', '/web/*'];

const toPage = (c: Context, shell: ShellProps) =>
  c.html(`<!doctype html>${Shell(shell)}`, 200, {
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    Vary: shell.classroom ? 'Cookie' : 'Accept',
  });

/** Makes the routes of the files that the pages load. */
function assetRoutes(bundle: Bundle) {
  return newRoutes().get('/web/:name', (c, next) => {
    const asset = bundle.assets.get(c.req.param('name'));
    if (!asset) return next();
    return c.body(asset.content, 200, { 'Content-Type': asset.type, 'Cache-Control': FOR_EVER });
  });
}

const PAGES = ['board', 'company'] as const;

/** Adds the pages and their files to a service. The lab's page exists only in workshop mode. */
export const pagesMount = ({ lab }: { lab: boolean }): Mount => ({
  path: '/',
  openPages: OPEN_PAGES,
  open: () => ({ routes: () => webRoutes({ lab }) }),
});

function webRoutes({ lab }: { lab: boolean }) {
  const routes = newRoutes();
  const bundle = readBundle(lab ? [...PAGES, 'lab'] : PAGES);
  const answerPage = (c: Context, page: PageName) => toPage(c, { page, lab, bundle });
  routes.get('/', revalidated, (c, next) => (prefersPage(c) ? answerPage(c, 'board') : next()));
  // We do not use `all` here, because a GET that prefers JSON must go on to the next routes.
  routes.on(['POST', 'PUT', 'PATCH', 'DELETE'], '/', () => methodNotAllowed('GET, HEAD'));
  routes.get('/company', revalidated, (c) => answerPage(c, 'company'));
  routes.all('/company', () => methodNotAllowed('GET, HEAD'));
  if (lab) {
    routes.get('/lab', revalidated, (c) => answerPage(c, 'lab'));
    routes.all('/lab', () => methodNotAllowed('GET, HEAD'));
  }
  return routes.route('/', assetRoutes(bundle));
}

/**
 * Makes the routes of the pages in a room for a class. Everybody may load `open`: the page to join,
 * the teacher's page and the files. `ofStudents` has the pages for students, which show the
 * student's name. `nameOf` returns this name, or an empty text if the visitor has not joined.
 */
export function classroomPages(nameOf: (c: Context) => string) {
  const bundle = readBundle(['join', 'teacher', 'board', 'lab']);
  const pagesAt = (pages: Partial<Record<string, PageName>>) => {
    const routes = newRoutes();
    for (const [path, page] of Object.entries(pages)) {
      if (!page) continue;
      routes.get(path, revalidated, (c) =>
        toPage(c, { page, lab: true, bundle, classroom: { student: nameOf(c) } }),
      );
      routes.all(path, () => methodNotAllowed('GET, HEAD'));
    }
    return routes;
  };
  const open = pagesAt({ '/join': 'join', '/teacher': 'teacher' }).route('/', assetRoutes(bundle));
  return { open, ofStudents: pagesAt({ '/': 'board', '/lab': 'lab' }) };
}

/**
 * Returns whether the client wants a page. A program that asks for JSON gets "not found" instead of
 * a page.
 */
const prefersPage = (c: Context): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['text/html', 'application/json'],
    default: 'text/html',
  }) === 'text/html';
