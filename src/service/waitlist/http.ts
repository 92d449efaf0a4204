import type { Context } from 'hono';
import type { Database } from '../../platform/db/client.ts';
import type { Admission } from '../../platform/waiting/admission.ts';
import { admitted } from '../claims/http.ts';
import { findJobSlots } from '../claims/reads.ts';
import { recruiters } from '../database/schema.ts';
import { isCompany, isRecruiter } from '../http/auth/caller.ts';
import { findNamed } from '../http/named.ts';
import { type Env, newRoutes } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { forbidden } from '../http/problems.ts';
import { type Page, paged } from '../http/schemas.ts';
import type { Write } from '../idempotency/http.ts';
import { entryBody, refusals } from './answers.ts';
import { changeSettings, type JoinOutcome, joinLine, leaveLine } from './line.ts';
import { countWaiting, findEntry, listEntries, readSettings } from './queries.ts';
import * as routes from './routes.ts';

export interface WaitlistDeps {
  db: Database;
  write: Write;
  /** Limits how many requests wait for the lock of a job. */
  admission: Admission;
  /** How long an offer lasts if the company does not say. */
  offerMinutes: number;
}

/** Makes all routes about the lines of jobs. */
export const waitlistRoutes = ({ db, write, admission, offerMinutes }: WaitlistDeps) =>
  newRoutes()
    .openapi(routes.join, async (c) => {
      const { jobId } = c.req.valid('param');
      const { recruiterId } = c.req.valid('json');
      if (!isRecruiter(c.get('caller'), recruiterId)) return problem(forbidden);
      return write(
        c,
        async (within) => joined(c, await joinLine(within, { jobId, recruiterId }, offerMinutes)),
        { around: (run) => admitted(admission, jobId, run) },
      );
    })
    .openapi(routes.leave, async (c) => {
      const { jobId, recruiterId } = c.req.valid('param');
      if (!isRecruiter(c.get('caller'), recruiterId)) return problem(forbidden);
      return write(
        c,
        async (within) => {
          const outcome = await leaveLine(within, { jobId, recruiterId });
          if (outcome.kind !== 'left') return problem(refusals[outcome.kind]);
          return c.json({ message: 'You have left the line' }, 200);
        },
        { around: (run) => admitted(admission, jobId, run) },
      );
    })
    .openapi(routes.read, async (c) => {
      const { jobId, recruiterId } = c.req.valid('param');
      if (!isRecruiter(c.get('caller'), recruiterId)) return problem(forbidden);
      const entry = await findEntry(db, jobId, recruiterId);
      if (!entry) return problem(refusals['not-in-line']);
      return c.json({ entry: entryBody(entry), waiting: entry.waiting }, 200);
    })
    .openapi(routes.list, async (c) => {
      const { jobId } = c.req.valid('param');
      const caller = c.get('caller');
      if (caller.role === 'recruiter') return problem(forbidden);
      const job = await findJobSlots(db, jobId);
      if (!job) return problem(refusals['no-such-job']);
      if (!isCompany(caller, job.companyId)) return problem(forbidden);
      const settings = await readSettings(db, jobId, offerMinutes);
      const waiting = await countWaiting(db, jobId);
      const page = await pageOfLines(db, { jobId }, c.req.valid('query'));
      return c.json({ ...page, waiting, settings }, 200);
    })
    .openapi(routes.listOfRecruiter, async (c) => {
      const recruiterId = c.req.valid('param').id;
      if (!isRecruiter(c.get('caller'), recruiterId)) return problem(forbidden);
      if (!(await findNamed(db, recruiters, recruiterId)))
        return problem(refusals['no-such-recruiter']);
      const { jobId: jobIds, ...page } = c.req.valid('query');
      return c.json(await pageOfLines(db, { recruiterId, jobIds }, page), 200);
    })
    .openapi(routes.change, async (c) => {
      const { jobId } = c.req.valid('param');
      const change = c.req.valid('json');
      const caller = c.get('caller');
      if (caller.role === 'recruiter') return problem(forbidden);
      // No request changes the company of a job, so we check the company before we lock the job.
      const job = await findJobSlots(db, jobId);
      if (!job) return problem(refusals['no-such-job']);
      if (!isCompany(caller, job.companyId)) return problem(forbidden);
      return write(
        c,
        async (within) => {
          const settings = await changeSettings(within, jobId, change, offerMinutes);
          return settings ? c.json(settings, 200) : problem(refusals['no-such-job']);
        },
        { around: (run) => admitted(admission, jobId, run) },
      );
    });

function joined(c: Context<Env>, outcome: JoinOutcome) {
  switch (outcome.kind) {
    case 'in-line': {
      const { entry } = outcome;
      const message = entry.claimId ? 'A slot is offered to you' : 'You are in line';
      return c.json({ message, entry: entryBody(entry), waiting: entry.waiting }, 200);
    }
    case 'claimed':
      return c.json({ message: 'Job claimed successfully', entry: null, waiting: 0 }, 200);
    default:
      return problem(refusals[outcome.kind]);
  }
}

async function pageOfLines(db: Database, of: Parameters<typeof listEntries>[1], page: Page) {
  const found = paged(await listEntries(db, of, { ...page, limit: page.limit + 1 }), page);
  return { entries: found.page.map(entryBody), nextCursor: found.nextCursor };
}
