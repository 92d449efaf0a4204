import Knex from 'knex';

const knex = Knex({ client: 'pg', connection: process.env.DATABASE_URL });

/** A claim with Knex. */
export default ({ jobId, recruiterId }) =>
  knex.transaction(async (trx) => {
    // THE LOCK: the next claim of this job waits here.
    const job = await trx('jobs').where({ id: jobId }).forUpdate().first('capacity');
    const [{ count }] = await trx('job_claims').where({ job_id: jobId }).count();
    if (Number(count) >= job.capacity) return 'full';
    await trx('job_claims').insert({ job_id: jobId, recruiter_id: recruiterId });
    return 'claimed';
  });
