import { databaseError, SQLSTATE } from '../../../platform/db/sqlstate.ts';
import type { Outcome } from '../../../service/claims/rules.ts';
import { isOfTrial, type ScriptEnd, type SqlRules } from '../../chapter.ts';
import type { ClaimStrategy } from './strategy.ts';

/** A script claims one slot. The answer follows from the statements that were committed. */
export const sql: SqlRules<ClaimStrategy> = {
  names: { job: 'the id of the job', recruiter: 'the id of the recruiter' },
  commands: {
    retry: 'If PostgreSQL refuses the transaction because of a conflict, the script begins again.',
  },
  answer:
    'If the script has committed a new row of job_claims, the answer is “claimed”. Otherwise it is “full”. ' +
    'If no SELECT from jobs finds a row, the answer is “no such job”. If the unique index of job_claims refuses ' +
    'the row, the answer is “duplicate”.',
  strategyOf: (name, run) => ({
    name,
    idea: 'a script of SQL',
    promise: 'capacity',
    async claim(db, { jobId, recruiterId }) {
      const asked = run(db, { job: jobId, recruiter: recruiterId });
      const kind = await asked.then(kindOf, kindOfError);
      // The trial needs only the kind.
      return { kind } as Outcome;
    },
  }),
};

function kindOf({ ran, hasGivenUp }: ScriptEnd): Outcome['kind'] {
  if (hasGivenUp) return 'busy';
  const claims = ran.filter(({ table }) => table === 'job_claims');
  const rowsOf = (wanted: string) =>
    claims.reduce((sum, { verb, rows }) => sum + (verb === wanted ? rows : 0), 0);
  if (rowsOf('insert') > rowsOf('delete')) return 'claimed';
  const reads = ran.filter(({ verb, table }) => verb === 'select' && table === 'jobs');
  const hasNoJob = reads.length > 0 && reads.every(({ rows }) => rows === 0);
  return hasNoJob ? 'no-such-job' : 'full';
}

/** Returns the answer that an error means. Throws every other error. */
function kindOfError(error: unknown): Outcome['kind'] {
  const { code, constraint = '' } = databaseError(error) ?? {};
  if (isOfTrial(error) || !constraint.startsWith('job_claims_')) throw error;
  if (code === SQLSTATE.uniqueViolation) return 'duplicate';
  if (code === SQLSTATE.foreignKeyViolation)
    return constraint.includes('recruiter') ? 'no-such-recruiter' : 'no-such-job';
  throw error;
}
