import { useState } from 'hono/jsx/dom';
import type { Operations } from '../../client/operations.generated.ts';
import { api } from '../parts/api.ts';
import { Countdown } from '../parts/countdown.tsx';
import { dataOf, insist } from '../parts/insist.ts';
import type { Job } from '../parts/jobs/jobs.ts';
import { useEffect } from '../parts/use-effect.ts';

/** A longer list would push the other jobs too far down. */
const MOST_SHOWN = 5;

/** Shows who has an offer of a job, and who waits for it. Shows nothing if nobody does. */
export function Line({ job }: { job: Job }) {
  const [line, setLine] = useState<Operations['listWaitlist']['data']>();
  const read = () => {
    const leaving = new AbortController();
    const args = { jobId: job.id, limit: MOST_SHOWN };
    insist((options) => api.listWaitlist(args, options).then(dataOf), leaving.signal)
      .then(setLine)
      // The page shows other troubles. Without the line, it still shows the slots.
      .catch(() => undefined);
    return () => leaving.abort();
  };
  // Each event of the job brings a new `job`.
  useEffect(read, [job]);
  if (!line || line.entries.length === 0) return null;
  const more = line.waiting - line.entries.filter(({ place }) => place !== null).length;
  return (
    <ol class="line" aria-label={`The line of ${job.role}`}>
      {line.entries.map(({ recruiterId, recruiterName, place, offer }) => (
        <li key={recruiterId}>
          {recruiterName}
          {offer?.expiresAt && (
            <strong class="badge">
              offered
              <Countdown expiresAt={offer.expiresAt} onEnd={read} />
            </strong>
          )}
          {place === 1 && <strong class="badge waiting">next in line</strong>}
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ol>
  );
}
