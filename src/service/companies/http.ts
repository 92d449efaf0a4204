import type { Database } from '../../platform/db/client.ts';
import { companies } from '../database/schema.ts';
import { findNamed, insertNamed, listNamed, namedBody } from '../http/named.ts';
import { newRoutes } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { forbidden } from '../http/problems.ts';
import type { Write } from '../idempotency/http.ts';
import * as routes from './routes.ts';

export const companyRoutes = ({ db, write }: { db: Database; write: Write }) =>
  newRoutes()
    .openapi(routes.createCompany, async (c) => {
      if (c.get('caller').role !== 'admin') return problem(forbidden);
      const values = c.req.valid('json');
      return write(c, async (within) => {
        const made = await insertNamed(within, companies, values);
        return c.json(namedBody(made), 201, { Location: `/companies/${made.id}` });
      });
    })
    .openapi(routes.listCompanies, async (c) => {
      const { page, nextCursor } = await listNamed(db, companies, c.req.valid('query'));
      return c.json({ companies: page.map(namedBody), nextCursor }, 200);
    })
    .openapi(routes.readCompany, async (c) => {
      const { id } = c.req.valid('param');
      const found = await findNamed(db, companies, id);
      return found ? c.json(namedBody(found), 200) : problem(routes.companyNotFound);
    });
