import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Env, Guard } from '../../http/new-routes.ts';
import type { Unanswered } from '../../waiting/admission.ts';

/** A route of production, for the requests of a race. Its requests are queries. */
export interface RaceRoute<A = unknown> {
  route: RouteConfig;
  guard: Guard;
  /** `busy`: the race has too many requests. `unknown`: the request goes on without an answer. */
  answer(c: Context<Env>, answer: A | Unanswered): Response;
}
