import type { Database, Transaction } from '../../platform/db/client.ts';
import type { Admission } from '../../platform/waiting/admission.ts';
import { answers } from '../claims/answers.ts';
import { admitted } from '../claims/http.ts';
import { companyNotFound } from '../companies/routes.ts';
import { isCompany } from '../http/auth/caller.ts';
import { newRoutes } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { forbidden } from '../http/problems.ts';
import { idBody } from '../http/schemas.ts';
import type { Write } from '../idempotency/http.ts';
import { changeJob } from './change-job.ts';
import {
  companyOfHistory,
  findJob,
  insertJob,
  type Job,
  pageOfHistory,
  pageOfJobs,
} from './queries.ts';
import * as routes from './routes.ts';

export interface JobDeps {
  db: Database;
  write: Write;
  /** Limits how many requests wait for the lock of a job. */
  admission: Admission;
}

export const jobRoutes = ({ db, write, admission }: JobDeps) =>
  newRoutes()
    .openapi(routes.createJob, async (c) => {
      const job = c.req.valid('json');
      if (!isCompany(c.get('caller'), job.companyId)) return problem(forbidden);
      return write(c, (within) =>
        within.transaction(async (tx) => {
          const id = await insertJob(tx, job);
          const made = id && (await findJob(tx, id));
          if (!made) return problem(companyNotFound);
          return c.json(jobBody(made), 201, { Location: `/jobs/${made.id}` });
        }),
      );
    })
    .openapi(routes.listJobs, async (c) => {
      const { limit, cursor, ...filter } = c.req.valid('query');
      const found = await pageOfJobs(db, filter, { limit, cursor });
      return c.json({ jobs: found.page.map(jobBody), nextCursor: found.nextCursor }, 200);
    })
    .openapi(routes.readJob, async (c) => {
      const job = await findJob(db, c.req.valid('param').id);
      return job ? c.json(jobBody(job), 200) : problem(answers['no-such-job']);
    })
    .openapi(routes.listEvents, async (c) => {
      const caller = c.get('caller');
      if (caller.role === 'recruiter') return problem(forbidden);
      const { id } = c.req.valid('param');
      const companyId = await companyOfHistory(db, id);
      if (companyId === undefined) return problem(answers['no-such-job']);
      if (!isCompany(caller, companyId)) return problem(forbidden);
      return c.json(await pageOfHistory(db, id, c.req.valid('query')), 200);
    })
    .openapi(routes.changeJob, async (c) => {
      const { id } = c.req.valid('param');
      const change = c.req.valid('json');
      const caller = c.get('caller');
      if (caller.role === 'recruiter') return problem(forbidden);
      const work = async (within: Database | Transaction) => {
        const mayChange = (companyId: bigint) => isCompany(caller, companyId);
        const outcome = await changeJob(within, id, change, mayChange);
        switch (outcome.kind) {
          case 'changed':
            return c.json(jobBody(outcome.job), 200);
          case 'capacity-too-low': {
            const { requested, slots } = outcome;
            return problem(routes.capacityTooLow, { requested, ...slots });
          }
          case 'not-theirs':
            return problem(forbidden);
          case 'no-such-job':
            return problem(answers['no-such-job']);
        }
      };
      return write(c, work, { around: (run) => admitted(admission, id, run) });
    });

export const jobBody = ({ id, company, role, createdAt, slots }: Job) => ({
  id: idBody(id),
  company: { id: idBody(company.id), name: company.name },
  role,
  createdAt: createdAt.toISOString(),
  ...slots,
});
