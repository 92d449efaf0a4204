import { z } from 'zod';
import { nameOf } from '../../service/http/auth/caller.ts';
import { streamEvents } from '../../service/http/event-stream.ts';
import { newRoutes } from '../../service/http/new-routes.ts';
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
import { BOUNDS, type Experiment } from './experiment.ts';
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

/**
 * Makes the routes of the sandbox. GET returns the well-known experiments and the limits of an
 * experiment. POST runs a typed experiment, and sends the events `queued`, `progress`, `done` and
 * `failed`.
 */
export function sandboxRoutes(deps: SandboxDeps) {
  const sandbox = new Sandbox(deps);
  const routes = newRoutes()
    .get('/sandbox', (c) => {
      // People who open the page soon run an experiment, so we prepare a server now.
      deps.boxes.warmUp();
      return c.json({ classics, bounds: BOUNDS });
    })
    .post('/sandbox', async (c) => {
      const body: unknown = await c.req.json().catch(() => undefined);
      if (body === undefined) return problem(notJson);
      const asked = experiment.safeParse(body);
      if (!asked.success) return invalid(asked.error, 'body');
      const listener = listen(sandbox, asked.data, nameOf(c.get('caller')));
      if (listener instanceof Mistake)
        return problem({ ...invalidRequest, detail: listener.message });
      if (listener === 'full') return problem(tooManyTry, {}, RETRY_AFTER);
      return streamEvents(c, listener);
    });
  routes.all('/sandbox', () => methodNotAllowed('GET, HEAD, POST'));
  return routes;
}

function listen(sandbox: Sandbox, asked: Experiment, caller: string): Listener | 'full' | Mistake {
  try {
    return sandbox.listen(asked, caller);
  } catch (error) {
    if (error instanceof Mistake) return error;
    throw error;
  }
}

const tooManyTry = {
  ...busy,
  detail: 'Too many runs wait for their turn. Try again.',
};

export type SandboxRoutes = ReturnType<typeof sandboxRoutes>;
