import { FOR_EVER, newRoutes, revalidated } from '../new-routes.ts';
import { type Document, documentOf } from './document.ts';
import { CONTENT_SECURITY_POLICY, FILES_AT, files, page, readStart } from './page.ts';

/**
 * Makes the routes of the OpenAPI document of `described`, and of the page that shows this
 * document.
 */
export function docsRoutes(
  described: ReturnType<typeof newRoutes>,
  { tokens }: { tokens: boolean },
) {
  const routes = newRoutes();
  const start = readStart();
  let document: Document | undefined;
  routes.get('/openapi.json', revalidated, (c) => {
    // The document is made at the first request, when all routes are registered.
    document ??= documentOf(described, { tokens });
    return c.json(document);
  });
  routes.get('/docs', revalidated, (c) =>
    c.html(page, 200, { 'Content-Security-Policy': CONTENT_SECURITY_POLICY }),
  );
  routes.get('/docs/start.js', revalidated, (c) =>
    c.body(start, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  );
  for (const { name, type, read } of files)
    routes.get(`${FILES_AT}/${name}`, async (c) =>
      c.body(await read(), 200, {
        'Content-Type': type,
        'Cache-Control': FOR_EVER,
      }),
    );
  return routes;
}
