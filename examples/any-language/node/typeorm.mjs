import typeorm from 'typeorm';

const Job = new typeorm.EntitySchema({
  name: 'jobs',
  columns: { id: { type: 'bigint', primary: true }, capacity: { type: 'int' } },
});
const JobClaim = new typeorm.EntitySchema({
  name: 'job_claims',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'increment' },
    jobId: { type: 'bigint', name: 'job_id' },
    recruiterId: { type: 'bigint', name: 'recruiter_id' },
  },
});
const database = await new typeorm.DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  entities: [Job, JobClaim],
}).initialize();

/** A claim with TypeORM. */
export default ({ jobId, recruiterId }) =>
  database.transaction(async (manager) => {
    const lock = { mode: 'pessimistic_write' };
    // THE LOCK: the next claim of this job waits here.
    const job = await manager.findOne(Job, { where: { id: jobId }, lock });
    const claims = await manager.countBy(JobClaim, { jobId });
    if (claims >= job.capacity) return 'full';
    await manager.insert(JobClaim, { jobId, recruiterId });
    return 'claimed';
  });
