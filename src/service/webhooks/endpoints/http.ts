import type { Context } from 'hono';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { companyNotFound } from '../../companies/routes.ts';
import { companies } from '../../database/schema.ts';
import { isCompany } from '../../http/auth/caller.ts';
import { findNamed } from '../../http/named.ts';
import { type Env, newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { forbidden, invalidRequest } from '../../http/problems.ts';
import type { Write } from '../../idempotency/http.ts';
import { type Own, ownOf } from '../own.ts';
import { judgeUrl } from '../send/target.ts';
import { messageTypes } from '../tables.ts';
import { endpointBody, endpointNotFound, tooManyEndpoints } from './answers.ts';
import * as queries from './endpoints.ts';
import * as routes from './routes.ts';

export interface EndpointDeps {
  db: Database;
  write: Write;
  /** Whether URLs of endpoints may lead to this machine. */
  loopback: boolean;
}

export function endpointRoutes({ db, write, loopback }: EndpointDeps) {
  /** Checks a URL before the transaction, because the check asks name servers. */
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
    act: (db: Database | Transaction, own: Own) => Promise<queries.Endpoint | undefined>,
  ) => {
    const own = ownOf(c.get('caller'), id);
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
      const own = ownOf(c.get('caller'), c.req.valid('param').id);
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
      const own = ownOf(c.get('caller'), c.req.valid('param').id);
      if (!own) return problem(forbidden);
      return write(c, async (within) => {
        const rotated = await queries.rotateSecret(within, own);
        if (!rotated) return problem(endpointNotFound);
        return c.json({ ...endpointBody(rotated.endpoint), secret: rotated.secret }, 200);
      });
    });
}
