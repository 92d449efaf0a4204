import { JOB } from '../chapters/claims/situations.ts';
import type { Stage } from '../explore/stage.ts';

/** What is committed. */
export interface Standing {
  capacity: number;
  /** The ids of the recruiters who hold the job, in the order in which they claimed it. */
  holders: number[];
}

export async function readStanding(stage: Stage): Promise<Standing> {
  const [row] = await stage.run(STANDING, [JOB]);
  return row as Standing;
}

const STANDING = `select capacity, (
    select coalesce(json_agg(recruiter_id order by id), '[]') from job_claims where job_id = jobs.id
  ) as holders from jobs where id = $1`;
