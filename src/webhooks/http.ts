import type { Context } from 'hono';
import { companyNotFound } from '../companies/routes.ts';
import type { Database, Transaction } from '../db/client.ts';
import { companies } from '../db/schema.ts';
import { type Caller, isCompany } from '../http/auth/caller.ts';
import type { Write } from '../http/idempotency/http.ts';
import { findNamed } from '../http/named.ts';
import { type Env, newRoutes } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { forbidden, invalidRequest } from '../http/problems.ts';
import { idBody } from '../http/schemas.ts';
import {
  deliveryBody,
  deliveryNotFound,
  endpointBody,
  endpointDisabled,
  endpointNotFound,
  resendOpen,
  tooManyEndpoints,
  wholeDeliveryBody,
} from './answers.ts';
import { findDelivery, listDeliveries } from './deliveries/queries.ts';
import { isResendOpen, resend, resendSince } from './deliveries/resend.ts';
import * as queries from './endpoints/endpoints.ts';
import { makeTestDelivery } from './relay/make-deliveries.ts';
import * as routes from './routes.ts';
import { judgeUrl } from './send/target.ts';
import { messageTypes } from './tables.ts';

export interface WebhookDeps {
  db: Database;
  write: Write;
  /** Whether endpoints may be on this machine. */
  loopback: boolean;
  /** Called when a request has made a task due. */
  onDueTask: () => void;
}

/** All routes about endpoints and deliveries. */
export function webhookRoutes({ db, write, loopback, onDueTask }: WebhookDeps) {
  /** Refuses a URL before the transaction, because the judgement asks name servers. */
  const refusalOf = async (url: string | undefined) => {
    const reason = url === undefined ? undefined : await judgeUrl(url, { loopback });
    if (reason === undefined) return undefined;
    const errors = [{ parameter: 'url', detail: reason }];
    return problem({ ...invalidRequest, detail: reason }, { errors });
  };

  /** Changes an endpoint of the caller. Companies get `endpoint-not-found` for other endpoints. */
  const change = (
    c: Context<Env>,
    id: bigint,
    act: (
      db: Database | Transaction,
      own: queries.OwnEndpoint,
    ) => Promise<queries.Endpoint | undefined>,
  ) => {
    const own = ownOf(c, id);
    if (!own) return problem(forbidden);
    return write(c, async (within) => {
      const endpoint = await act(within, own);
      return endpoint ? c.json(endpointBody(endpoint), 200) : problem(endpointNotFound);
    });
  };

  return newRoutes()
    .openapi(routes.createEndpoint, async (c) => {
      const { id: companyId } = c.req.valid('param');
      if (!isCompany(c.get('caller'), companyId)) return problem(forbidden);
      const { url, types = [...messageTypes], description = '' } = c.req.valid('json');
      const refusal = await refusalOf(url);
      if (refusal) return refusal;
      return write(c, (within) =>
        within.transaction(async (tx) => {
          const values = { url, types, description };
          const outcome = await queries.insertEndpoint(tx, companyId, values);
          switch (outcome.kind) {
            case 'created': {
              const body = { ...endpointBody(outcome.endpoint), secret: outcome.secret };
              return c.json(body, 201, { Location: `/endpoints/${body.id}` });
            }
            case 'no-such-company':
              return problem(companyNotFound);
            case 'too-many':
              return problem(tooManyEndpoints);
          }
        }),
      );
    })
    .openapi(routes.listEndpoints, async (c) => {
      const { id: companyId } = c.req.valid('param');
      if (!isCompany(c.get('caller'), companyId)) return problem(forbidden);
      if (!(await findNamed(db, companies, companyId))) return problem(companyNotFound);
      const { page, nextCursor } = await queries.listEndpoints(db, companyId, c.req.valid('query'));
      return c.json({ endpoints: page.map(endpointBody), nextCursor }, 200);
    })
    .openapi(routes.readEndpoint, async (c) => {
      const own = ownOf(c, c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const endpoint = await queries.findEndpoint(db, own);
      return endpoint ? c.json(endpointBody(endpoint), 200) : problem(endpointNotFound);
    })
    .openapi(routes.changeEndpoint, async (c) => {
      const values = c.req.valid('json');
      if (c.get('caller').role === 'recruiter') return problem(forbidden);
      const refusal = await refusalOf(values.url);
      if (refusal) return refusal;
      return change(c, c.req.valid('param').id, (within, own) =>
        queries.changeEndpoint(within, own, values),
      );
    })
    .openapi(routes.deleteEndpoint, async (c) =>
      change(c, c.req.valid('param').id, queries.deleteEndpoint),
    )
    .openapi(routes.enableEndpoint, async (c) =>
      change(c, c.req.valid('param').id, queries.enableEndpoint),
    )
    .openapi(routes.disableEndpoint, async (c) =>
      change(c, c.req.valid('param').id, queries.disableEndpoint),
    )
    .openapi(routes.rotateSecret, async (c) => {
      const own = ownOf(c, c.req.valid('param').id);
      if (!own) return problem(forbidden);
      return write(c, async (within) => {
        const rotated = await queries.rotateSecret(within, own);
        if (!rotated) return problem(endpointNotFound);
        return c.json({ ...endpointBody(rotated.endpoint), secret: rotated.secret }, 200);
      });
    })
    .openapi(routes.testEndpoint, async (c) => {
      const own = ownOf(c, c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const answer = await write(c, (within) =>
        within.transaction(async (tx) => {
          const endpoint = await queries.findEndpoint(tx, own);
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
      const own = ownOf(c, c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const { since } = c.req.valid('json');
      const answer = await write(c, (within) =>
        within.transaction(async (tx) => {
          const endpoint = await queries.lockEndpoint(tx, own);
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
      const own = ownOf(c, c.req.valid('param').id);
      if (!own) return problem(forbidden);
      if (!(await queries.findEndpoint(db, own))) return problem(endpointNotFound);
      const { status, ...page } = c.req.valid('query');
      const found = await listDeliveries(db, { endpointId: own.id, status }, page);
      const { nextCursor } = found;
      return c.json({ deliveries: found.page.map(deliveryBody), nextCursor }, 200);
    })
    .openapi(routes.readDelivery, async (c) => {
      const own = ownOf(c, c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const delivery = await findDelivery(db, own);
      return delivery ? c.json(wholeDeliveryBody(delivery), 200) : problem(deliveryNotFound);
    })
    .openapi(routes.resendDelivery, async (c) => {
      const own = ownOf(c, c.req.valid('param').id);
      if (!own) return problem(forbidden);
      const answer = await write(c, (within) =>
        within.transaction(async (tx) => {
          const delivery = await findDelivery(tx, own);
          if (!delivery) return problem(deliveryNotFound);
          const endpoint = await queries.findEndpoint(tx, { ...own, id: delivery.endpointId });
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
}

/**
 * The thing with this id, if the caller may use the thing. A company may use its own things, and an
 * admin all things. A recruiter may use nothing.
 */
function ownOf(
  c: Context<Env>,
  id: bigint,
): { id: bigint; companyId: bigint | undefined } | undefined {
  const caller: Caller = c.get('caller');
  if (caller.role === 'recruiter') return undefined;
  return { id, companyId: caller.role === 'company' ? caller.id : undefined };
}
