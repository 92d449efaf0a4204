import { DataTypes, Sequelize } from 'sequelize';

const sequelize = new Sequelize(process.env.DATABASE_URL, { logging: false });
const plain = { timestamps: false, underscored: true };
const Job = sequelize.define('job', { capacity: DataTypes.INTEGER }, plain);
const JobClaim = sequelize.define(
  'job_claim',
  { jobId: DataTypes.BIGINT, recruiterId: DataTypes.BIGINT },
  plain,
);

/** A claim with Sequelize. */
export default ({ jobId, recruiterId }) =>
  sequelize.transaction(async (transaction) => {
    const lock = transaction.LOCK.UPDATE;
    // THE LOCK: the next claim of this job waits here.
    const job = await Job.findByPk(jobId, { transaction, lock });
    const claims = await JobClaim.count({ where: { jobId }, transaction });
    if (claims >= job.capacity) return 'full';
    await JobClaim.create({ jobId, recruiterId }, { transaction, returning: false });
    return 'claimed';
  });
