import type { FollowStatus } from '../../client/index.ts';
import { LiveBadge } from '../parts/jobs/live-badge.tsx';
import { Slots } from '../parts/jobs/slots.tsx';
import type { Jobs } from '../parts/jobs/use-jobs.ts';
import { Pages, type PagesProps } from '../parts/pages.tsx';
import { Line } from './line.tsx';

export interface OwnJobsProps extends Pick<PagesProps, 'depth' | 'onBack'> {
  jobs: Jobs;
  liveness: FollowStatus;
  /** The cursor where the page begins. */
  after: string;
  onTurn(after: string): void;
}

/** Shows the jobs of a company with their slots. */
export function OwnJobs({ jobs: listed, liveness, after, depth, onBack, onTurn }: OwnJobsProps) {
  const { jobs, next, isReady, trouble } = listed;
  const isPaged = after !== '' || next !== null;
  return (
    <section aria-labelledby="jobs-heading">
      <div class="section-head">
        <h2 id="jobs-heading">Jobs</h2>
        {jobs.length > 0 && <LiveBadge status={liveness} />}
      </div>
      <ul class="rows" aria-label="Jobs" aria-busy={isReady ? 'false' : 'true'}>
        {jobs.map((job) => (
          <li key={job.id} class="own-job">
            <h3>{job.role}</h3>
            <Slots {...job} isYours={false} />
            {job.claimed > 0 && <Line job={job} />}
          </li>
        ))}
      </ul>
      {trouble && <p class="trouble">{trouble}</p>}
      {isReady && jobs.length === 0 && (
        <p class="empty">
          {after
            ? 'There is no job on this page.'
            : 'This company has no job yet. New jobs appear here.'}
        </p>
      )}
      {isPaged && (
        <Pages
          of="jobs"
          depth={depth}
          isFirst={after === ''}
          next={next}
          onFirst={() => onTurn('')}
          onBack={onBack}
          onNext={onTurn}
        />
      )}
    </section>
  );
}
