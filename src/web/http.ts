import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { FOR_EVER, newRoutes, revalidated } from '../http/new-routes.ts';
import { methodNotAllowed } from '../http/problems.ts';
import { type PageName, readBundle } from './bundle.ts';
import { Shell } from './shell.tsx';

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

/** Serves the pages and their files. The lab's page exists only in workshop mode. */
export function webRoutes({ lab }: { lab: boolean }) {
  const routes = newRoutes();
  const bundle = readBundle();
  const answerPage = (c: Context, page: PageName) => {
    const document = Shell({ page, lab, bundle });
    return c.html(`<!doctype html>${document}`, 200, {
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      Vary: 'Accept',
    });
  };
  routes.get('/', revalidated, (c, next) => (prefersPage(c) ? answerPage(c, 'board') : next()));
  // Not `all`, because a GET that prefers JSON must go on to the next routes.
  routes.on(['POST', 'PUT', 'PATCH', 'DELETE'], '/', () => methodNotAllowed('GET, HEAD'));
  routes.get('/company', revalidated, (c) => answerPage(c, 'company'));
  routes.all('/company', () => methodNotAllowed('GET, HEAD'));
  if (lab) {
    routes.get('/lab', revalidated, (c) => answerPage(c, 'lab'));
    routes.all('/lab', () => methodNotAllowed('GET, HEAD'));
  }
  routes.get('/web/:name', (c, next) => {
    const asset = bundle.assets.get(c.req.param('name'));
    if (!asset) return next();
    return c.body(asset.content, 200, { 'Content-Type': asset.type, 'Cache-Control': FOR_EVER });
  });
  return routes;
}

/** Whether the client wants a page. A program that asks for JSON gets "not found" instead. */
const prefersPage = (c: Context): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['text/html', 'application/json'],
    default: 'text/html',
  }) === 'text/html';
