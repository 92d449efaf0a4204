import type { Database } from '../../../../platform/db/client.ts';
import { ANYBODY } from '../../../../service/http/auth/caller.ts';
import { guardedBy, newRoutes } from '../../../../service/http/new-routes.ts';
import { createWrite, judgeKey } from '../../../../service/idempotency/http.ts';
import { InTurn } from '../../../../service/idempotency/in-turn.ts';
import { chargeInside, done, running } from '../queries.ts';
import type { Answer, ChargeRequest, RetryStrategy } from '../strategy.ts';

/**
 * The life of a key in hours. In this chapter a client may ask again after some days. The key must
 * still live then.
 */
const KEY_HOURS = 30 * 24;
/** The maximum wait of a repeat in the memory of its server. Every schedule is shorter. */
const WAIT_MS = 10_000;

/**
 * The code of the service's idempotency, and not a copy. The route locks the key, does the work,
 * and stores the answer in one transaction. On one server, repeats wait in memory. The work is
 * inside the database.
 */
export const production: RetryStrategy = {
  name: 'production',
  idea: 'lock the key, do the work and store the answer in one transaction',
  promise: 'once',
  timed: true,
  handle: startServer(),
  restart: startServer,
};

function startServer(): RetryStrategy['handle'] {
  const inTurn = new InTurn(WAIT_MS);
  return async (db, request) => readAnswer(await send(routes(db, inTurn), request));
}

/** Makes a server of the service with one route. */
function routes(db: Database, inTurn: InTurn) {
  const write = createWrite(db, inTurn);
  const app = newRoutes();
  app.use(
    guardedBy(
      (c) => {
        c.set('caller', ANYBODY);
        return undefined;
      },
      judgeKey(db, inTurn, { hours: KEY_HOURS, isOpen: () => false }),
    ),
  );
  app.post('/charges/:key', (c) =>
    write(c, async (tx) => {
      const receipt = await chargeInside(tx, { key: c.req.param('key') });
      return Response.json({ receipt }, { status: 201 });
    }),
  );
  app.onError((error) => {
    throw error;
  });
  return app;
}

const send = async (app: ReturnType<typeof routes>, { key }: ChargeRequest) =>
  app.request(`/charges/${key}`, { method: 'POST', headers: { 'Idempotency-Key': key } });

async function readAnswer(response: Response): Promise<Answer> {
  if (response.status === 409) return running;
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return done(((await response.json()) as { receipt: number }).receipt);
}
