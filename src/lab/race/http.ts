import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Unanswered } from '../../platform/waiting/admission.ts';
import type { Env, Guard } from '../../service/http/new-routes.ts';

/** A route of production that answers the requests of a race. A request is the route's query. */
export interface RaceRoute<A = unknown> {
  route: RouteConfig;
  guard: Guard;
  /**
   * `busy` means that too many requests run or wait. `unknown` means that the request took too
   * long, and may still run.
   */
  answer(c: Context<Env>, answer: A | Unanswered): Response;
}
