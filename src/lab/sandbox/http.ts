import { z } from 'zod';
import { newRoutes } from '../../service/http/new-routes.ts';
import { methodNotAllowed } from '../../service/http/problems.ts';
import { classics } from './classics/index.ts';
import { BOUNDS } from './experiment.ts';
import { sendRun } from './run-http.ts';
import { Sandbox, type SandboxDeps } from './sandbox.ts';

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
    .post('/sandbox', (c) =>
      sendRun(c, experiment, (asked, caller) => sandbox.listen(asked, caller)),
    )
    .post('/sandbox/orders', (c) =>
      sendRun(c, orderOfExperiment, ({ schedule, ...asked }, caller) =>
        sandbox.listenToOrder(asked, schedule, caller),
      ),
    );
  routes.all('/sandbox', () => methodNotAllowed('GET, HEAD, POST'));
  routes.all('/sandbox/orders', () => methodNotAllowed('POST'));
  return routes;
}

export type SandboxRoutes = ReturnType<typeof sandboxRoutes>;
