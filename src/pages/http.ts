import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { FOR_EVER, newRoutes, revalidated } from '../http/new-routes.ts';
import { methodNotAllowed } from '../http/problems.ts';
import { type Bundle, type PageName, readBundle } from './bundle.ts';
import { Shell, type ShellProps } from './shell.tsx';

/**
 * A page may load our own files and send requests to this service. Inline scripts and other sites
 * are forbidden.
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

/** These addresses hold no data, so everybody may read them without a token. */
export const OPEN_PAGES = ['/', '/company', '/lab', '/web/*'];

const toPage = (c: Context, shell: ShellProps) =>
  c.html(`<!doctype html>${Shell(shell)}`, 200, {
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    Vary: shell.classroom ? 'Cookie' : 'Accept',
  });

/** The files that the pages load. */
function assetRoutes(bundle: Bundle) {
  return newRoutes().get('/web/:name', (c, next) => {
    const asset = bundle.assets.get(c.req.param('name'));
    if (!asset) return next();
    return c.body(asset.content, 200, { 'Content-Type': asset.type, 'Cache-Control': FOR_EVER });
  });
}

/** Serves the pages and their files. The lab's page exists only in workshop mode. */
export function webRoutes({ lab }: { lab: boolean }) {
  const routes = newRoutes();
  const bundle = readBundle();
  const answerPage = (c: Context, page: PageName) => toPage(c, { page, lab, bundle });
  routes.get('/', revalidated, (c, next) => (prefersPage(c) ? answerPage(c, 'board') : next()));
  // Not `all`, because a GET that prefers JSON must go on to the next routes.
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
 * The pages of a room. Everybody may load `open`: the door, the teacher's page and the files. The
 * pages for students show the student's name, which `nameOf` gives. The name of a stranger is empty.
 */
export function classroomPages(nameOf: (c: Context) => string) {
  const bundle = readBundle();
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

/** Whether the client wants a page. A program that asks for JSON gets "not found" instead. */
const prefersPage = (c: Context): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['text/html', 'application/json'],
    default: 'text/html',
  }) === 'text/html';
