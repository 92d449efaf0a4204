import type { Database } from '../../../platform/db/client.ts';
import { newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { forbidden } from '../../http/problems.ts';
import { idBody } from '../../http/schemas.ts';
import type { Write } from '../../idempotency/http.ts';
import { endpointDisabled, endpointNotFound } from '../endpoints/answers.ts';
import { findEndpoint, lockEndpoint } from '../endpoints/endpoints.ts';
import { ownOf } from '../own.ts';
import { makeTestDelivery } from '../relay/make-deliveries.ts';
import { deliveryBody, deliveryNotFound, resendOpen, wholeDeliveryBody } from './answers.ts';
import { findDelivery, listDeliveries } from './queries.ts';
import { isResendOpen, resend, resendSince } from './resend.ts';
import * as routes from './routes.ts';

export interface DeliveryDeps {
  db: Database;
  write: Write;
  /** Called after each request that may have made a task due. */
  onDueTask: () => void;
}

export const deliveryRoutes = ({ db, write, onDueTask }: DeliveryDeps) =>
  newRoutes()
    .openapi(routes.testEndpoint, async (c) => {
      const own = ownOf(c.get('caller'), c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const answer = await write(c, (within) =>
        within.transaction(async (tx) => {
          const endpoint = await findEndpoint(tx, own);
          if (!endpoint) return problem(endpointNotFound);
          if (!endpoint.enabled) return problem(endpointDisabled);
          const id = await makeTestDelivery(tx, endpoint.id);
          const delivery = await findDelivery(tx, { ...own, id });
          if (!delivery) return problem(endpointNotFound);
          return c.json(wholeDeliveryBody(delivery), 201, {
            Location: `/deliveries/${idBody(id)}`,
          });
        }),
      );
      onDueTask();
      return answer;
    })
    .openapi(routes.resendSince, async (c) => {
      const own = ownOf(c.get('caller'), c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const { since } = c.req.valid('json');
      const answer = await write(c, (within) =>
        within.transaction(async (tx) => {
          const endpoint = await lockEndpoint(tx, own);
          if (!endpoint) return problem(endpointNotFound);
          if (!endpoint.enabled) return problem(endpointDisabled);
          if (await isResendOpen(tx, endpoint.id)) return problem(resendOpen);
          await resendSince(tx, endpoint.id, since);
          return c.json({ since: since.toISOString() }, 202);
        }),
      );
      onDueTask();
      return answer;
    })
    .openapi(routes.listDeliveries, async (c) => {
      const own = ownOf(c.get('caller'), c.req.valid('param').id);
      if (!own) return problem(forbidden);
      if (!(await findEndpoint(db, own))) return problem(endpointNotFound);
      const { status, ...page } = c.req.valid('query');
      const found = await listDeliveries(db, { endpointId: own.id, status }, page);
      const { nextCursor } = found;
      return c.json({ deliveries: found.page.map(deliveryBody), nextCursor }, 200);
    })
    .openapi(routes.readDelivery, async (c) => {
      const own = ownOf(c.get('caller'), c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const delivery = await findDelivery(db, own);
      return delivery ? c.json(wholeDeliveryBody(delivery), 200) : problem(deliveryNotFound);
    })
    .openapi(routes.resendDelivery, async (c) => {
      const own = ownOf(c.get('caller'), c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const answer = await write(c, (within) =>
        within.transaction(async (tx) => {
          const delivery = await findDelivery(tx, own);
          if (!delivery) return problem(deliveryNotFound);
          const endpoint = await findEndpoint(tx, { ...own, id: delivery.endpointId });
          if (!endpoint) return problem(deliveryNotFound);
          if (!endpoint.enabled) return problem(endpointDisabled);
          await resend(tx, [own.id]);
          const after = await findDelivery(tx, own);
          return after ? c.json(wholeDeliveryBody(after), 200) : problem(deliveryNotFound);
        }),
      );
      onDueTask();
      return answer;
    });
