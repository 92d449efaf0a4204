import { useState } from 'hono/jsx/dom';
import { useEffect } from '../parts/use-effect.ts';
import { useAddress } from './address.ts';
import { claim, type Result, release, renew } from './claims/acts.ts';
import { LeaseChoice } from './claims/lease-choice.tsx';
import { USUAL_LEASE_S } from './claims/leases.ts';
import { useActs } from './claims/use-acts.ts';
import { useHeld } from './claims/use-held.ts';
import { nobodyYet } from './claims/words.ts';
import { EmptyBoard } from './empty-board.tsx';
import { Filters } from './filters.tsx';
import { JobRow } from './job-row.tsx';
import type { Job } from './jobs/jobs.ts';
import { LiveBadge } from './jobs/live-badge.tsx';
import { useJobs } from './jobs/use-jobs.ts';
import { useLive } from './jobs/use-live.ts';
import { Pages } from './pages.tsx';
import { Person } from './recruiter/person.tsx';
import { useRecruiter } from './recruiter/use-recruiter.ts';

/**
 * Shows the jobs and follows their changes. A recruiter can claim jobs, and renew and release the
 * claims.
 */
export function Board() {
  const { address, depth, become, filter, turnTo, turnBack } = useAddress();
  const [leaseSeconds, setLeaseSeconds] = useState(0);
  const person = useRecruiter(address.recruiter);
  const { jobs, next, isReady, trouble, put, putSlots, remove } = useJobs(address);
  const ids = jobs.map(({ id }) => id);
  const holding = useHeld(person.id, ids);
  const liveness = useLive(ids, {
    onJobs(changed) {
      put(changed);
      holding.refresh();
    },
    onGone: remove,
    onLive: holding.refresh,
  });
  const { attempts, notes, news, act, say } = useActs(
    person.id,
    (job, { claim, slots }: Result) => {
      if (claim !== undefined) holding.put(job.id, claim);
      // An answer may arrive after the event of a later claim. Its slots are then out of date. While
      // the stream is live, only events set the slots.
      if (slots && liveness !== 'live') putSlots(job.id, slots);
      holding.refresh();
    },
  );
  useEffect(() => {
    document.title = [person.recruiter?.name, 'Job board', 'Rowlock'].filter(Boolean).join(' · ');
  }, [person.recruiter]);

  const onClaim = (job: Job) => {
    if (person.id) {
      void act(job, 'claim', (onWait) => claim(job.id, person.id, leaseSeconds, onWait));
    } else {
      say(job, nobodyYet);
      document.getElementById('recruiter')?.focus();
    }
  };
  const onRelease = (job: Job) => {
    const held = holding.held.get(job.id);
    if (held) void act(job, 'release', (onWait) => release(held, onWait));
  };
  const onRenew = (job: Job) => {
    const held = holding.held.get(job.id);
    const seconds = leaseSeconds || USUAL_LEASE_S;
    if (held) void act(job, 'renew', (onWait) => renew(held, seconds, onWait));
  };
  return (
    <>
      <div class="title">
        <h1>Jobs</h1>
        {jobs.length > 0 && <LiveBadge liveness={liveness} />}
      </div>
      <section class="controls" aria-label="Recruiter, claims and filters">
        <Person person={person} onChoose={(recruiter) => become(String(recruiter.id))} />
        <LeaseChoice seconds={leaseSeconds} onChoose={setLeaseSeconds} />
        <Filters q={address.q} status={address.status} onChange={filter} />
      </section>
      <p role="status" class="unseen">
        {news}
      </p>
      <ul class="jobs" aria-label="Jobs" aria-busy={isReady ? 'false' : 'true'}>
        {jobs.map((job) => (
          <JobRow
            key={job.id}
            job={job}
            claim={holding.held.get(job.id)}
            attempt={attempts.get(job.id)}
            note={notes.get(job.id)}
            onClaim={() => onClaim(job)}
            onRelease={() => onRelease(job)}
            onRenew={() => onRenew(job)}
            onLeaseOver={holding.refresh}
          />
        ))}
      </ul>
      {trouble && <p class="trouble">{trouble}</p>}
      {isReady && jobs.length === 0 && <EmptyBoard filter={address} onShowAll={filter} />}
      {(address.after !== '' || next !== null) && (
        <Pages
          depth={depth}
          isFirst={address.after === ''}
          next={next}
          onFirst={() => turnTo('')}
          onBack={turnBack}
          onNext={turnTo}
        />
      )}
    </>
  );
}
