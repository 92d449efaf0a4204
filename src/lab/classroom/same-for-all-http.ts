import type { MiddlewareHandler } from 'hono';
import type { Env } from '../../http/new-routes.ts';

/**
 * Remembers the body of an answer that is the same for everybody while the room is open. A class that
 * opens the lab together would otherwise wait while the server writes the same JSON thirty times.
 */
export function sameForAll(): MiddlewareHandler<Env> {
  let body: string | undefined;
  return async (c, next) => {
    if (body !== undefined && c.req.method === 'GET')
      return c.body(body, 200, { 'Content-Type': 'application/json' });
    await next();
    if (c.res.status === 200) body = await c.res.clone().text();
    return undefined;
  };
}
