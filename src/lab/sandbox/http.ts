import type { Context } from 'hono';
import { z } from 'zod';
import { nameOf } from '../../service/http/auth/caller.ts';
import { streamEvents } from '../../service/http/event-stream.ts';
import { type Env, newRoutes } from '../../service/http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../service/http/problem.ts';
import {
  busy,
  invalid,
  invalidRequest,
  methodNotAllowed,
  notJson,
} from '../../service/http/problems.ts';
import type { Listener } from '../listener.ts';
import { classics } from './classics/index.ts';
import { BOUNDS } from './experiment.ts';
import { Sandbox, type SandboxDeps } from './sandbox.ts';
import { Mistake } from './statements.ts';

const textUpTo = (most: number) => {
  const rule = `is a text of at most ${most} characters`;
  return z.string(rule).max(most, rule);
};

const TWO_OR_THREE = 'is a list of two or three texts';

const experiment = z.strictObject({
  tables: textUpTo(BOUNDS.tables),
  sessions: z
    .array(textUpTo(BOUNDS.session), TWO_OR_THREE)
    .min(2, TWO_OR_THREE)
    .max(BOUNDS.sessions, TWO_OR_THREE),
  check: textUpTo(BOUNDS.check),
});

const AN_ORDER = 'is an order such as 1,2,2,1, of at most 300 characters';

/** An experiment, and one order of its steps. The longest order has about 150 characters. */
const orderOfExperiment = experiment.extend({
  schedule: z
    .string(AN_ORDER)
    .max(300, AN_ORDER)
    .regex(/^\d(,\d)*$/, AN_ORDER),
});

/**
 * Makes the routes of the sandbox. GET returns the well-known experiments and the limits of an
 * experiment. POST runs a typed experiment, or one order of it, and sends the events `queued`,
 * `progress`, `done` and `failed`.
 */
export function sandboxRoutes(deps: SandboxDeps) {
  const sandbox = new Sandbox(deps);
  const routes = newRoutes()
    .get('/sandbox', (c) => {
      // People who open the page soon run an experiment, so we prepare a server now.
      deps.boxes.warmUp();
      return c.json({ classics, bounds: BOUNDS });
    })
    .post('/sandbox', (c) => run(c, experiment, (asked, caller) => sandbox.listen(asked, caller)))
    .post('/sandbox/orders', (c) =>
      run(c, orderOfExperiment, ({ schedule, ...asked }, caller) =>
        sandbox.listenToOrder(asked, schedule, caller),
      ),
    );
  routes.all('/sandbox', () => methodNotAllowed('GET, HEAD, POST'));
  routes.all('/sandbox/orders', () => methodNotAllowed('POST'));
  return routes;
}

/** Reads the body, and sends the events of its run. */
async function run<Body>(
  c: Context<Env>,
  rules: z.ZodType<Body>,
  listen: (body: Body, caller: string) => Listener | 'full',
) {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (body === undefined) return problem(notJson);
  const asked = rules.safeParse(body);
  if (!asked.success) return invalid(asked.error, 'body');
  try {
    const listener = listen(asked.data, nameOf(c.get('caller')));
    if (listener === 'full') return problem(tooManyTry, {}, RETRY_AFTER);
    return streamEvents(c, listener);
  } catch (error) {
    if (error instanceof Mistake) return problem({ ...invalidRequest, detail: error.message });
    throw error;
  }
}

const tooManyTry = {
  ...busy,
  detail: 'Too many runs wait for their turn. Try again.',
};

export type SandboxRoutes = ReturnType<typeof sandboxRoutes>;
