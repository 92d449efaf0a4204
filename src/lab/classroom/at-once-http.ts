import type { MiddlewareHandler } from 'hono';
import { nameOf } from '../../service/http/auth/caller.ts';
import type { Env } from '../../service/http/new-routes.ts';
import { problem } from '../../service/http/problem.ts';
import { tooManyAtOnce } from './problems.ts';

/** The maximum number of open requests. A browser opens at most six connections to a server. */
const MOST_AT_ONCE = 8;

interface OpenRequest {
  cut(): void;
}

/** The requests and streams that each student has open, by the name of the caller. */
export class OpenRequests {
  readonly #open = new Map<string, Set<OpenRequest>>();

  /**
   * Limits how many requests and streams a student has open at the same time. A stream counts until
   * its connection ends.
   */
  bound(): MiddlewareHandler<Env> {
    return async (c, next) => {
      const name = nameOf(c.get('caller'));
      const own = this.#open.get(name) ?? new Set();
      if (own.size >= MOST_AT_ONCE) return problem(tooManyAtOnce, {}, { 'Retry-After': '1' });
      const { outgoing } = c.env ?? {};
      const request = { cut: () => outgoing?.destroy() };
      this.#open.set(name, own.add(request));
      const end = () => {
        own.delete(request);
        if (own.size === 0 && this.#open.get(name) === own) this.#open.delete(name);
      };
      if (outgoing) outgoing.once('close', end);
      try {
        await next();
      } finally {
        if (!outgoing) end();
      }
      return undefined;
    };
  }

  /** Ends all open requests and streams of this caller. The work for a stream ends too. */
  cut(name: string) {
    for (const request of [...(this.#open.get(name) ?? [])]) request.cut();
  }
}
