import type { Database } from '../../platform/db/client.ts';
import { answers } from '../claims/answers.ts';
import { recruiters } from '../database/schema.ts';
import { isRecruiter } from '../http/auth/caller.ts';
import { findNamed, insertNamed, listNamed, namedBody } from '../http/named.ts';
import { newRoutes } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { forbidden } from '../http/problems.ts';
import type { Write } from '../idempotency/http.ts';
import * as routes from './routes.ts';

export const recruiterRoutes = ({ db, write }: { db: Database; write: Write }) =>
  newRoutes()
    .openapi(routes.createRecruiter, async (c) => {
      if (c.get('caller').role !== 'admin') return problem(forbidden);
      const values = c.req.valid('json');
      return write(c, async (within) => {
        const made = await insertNamed(within, recruiters, values);
        return c.json(namedBody(made), 201, { Location: `/recruiters/${made.id}` });
      });
    })
    .openapi(routes.listRecruiters, async (c) => {
      if (c.get('caller').role === 'recruiter') return problem(forbidden);
      const { page, nextCursor } = await listNamed(db, recruiters, c.req.valid('query'));
      return c.json({ recruiters: page.map(namedBody), nextCursor }, 200);
    })
    .openapi(routes.readRecruiter, async (c) => {
      const { id } = c.req.valid('param');
      const caller = c.get('caller');
      if (caller.role !== 'company' && !isRecruiter(caller, id)) return problem(forbidden);
      const found = await findNamed(db, recruiters, id);
      return found ? c.json(namedBody(found), 200) : problem(answers['no-such-recruiter']);
    });
