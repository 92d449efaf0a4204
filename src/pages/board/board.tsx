import { useRef, useState } from 'hono/jsx/dom';
import { good } from '../parts/acts/notes.ts';
import { useActs } from '../parts/acts/use-acts.ts';
import { UNDO_S, useUndo } from '../parts/acts/use-undo.ts';
import { useAddress } from '../parts/address.ts';
import { api } from '../parts/api.ts';
import { dataOf } from '../parts/insist.ts';
import type { Filter } from '../parts/jobs/jobs.ts';
import { type Job, PAGE } from '../parts/jobs/jobs.ts';
import { LiveBadge } from '../parts/jobs/live-badge.tsx';
import { useJobs } from '../parts/jobs/use-jobs.ts';
import { useLive } from '../parts/jobs/use-live.ts';
import { Pages } from '../parts/pages.tsx';
import { searched } from '../parts/search.ts';
import { useEffect } from '../parts/use-effect.ts';
import { type Directory, MOST_FOUND } from '../parts/who/named.ts';
import { useWho } from '../parts/who/use-who.ts';
import { Who } from '../parts/who/who.tsx';
import { accept, claim, decline, join, leave, type Result, release, renew } from './claims/acts.ts';
import { LeaseChoice } from './claims/lease-choice.tsx';
import { USUAL_LEASE_S } from './claims/leases.ts';
import { useHeld } from './claims/use-held.ts';
import { type DelayedAct, delayedActs, nobodyYet, wasAsleep } from './claims/words.ts';
import { Filters } from './filters.tsx';
import { JobRow } from './job-row.tsx';

/**
 * Shows the jobs and follows their changes. A recruiter can claim jobs, and renew and release the
 * claims.
 */
export function Board() {
  const { address, depth, become, filter, turnTo, turnBack } = useBoardAddress();
  const [leaseSeconds, setLeaseSeconds] = useState(0);
  const person = useWho(recruiters, address.recruiter);
  const { jobs, next, isReady, trouble, put, putSlots, remove } = useJobs({
    ...address,
    companyId: '',
    size: PAGE,
  });
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
  const { attempts, notes, news, act, say } = useActs(person.id);
  const { q, status, after } = address;
  const { delayed, delay, undo } = useUndo<DelayedAct>([person.id, q, status, after].join());
  useEffect(() => {
    document.title = [person.known?.name, 'Job board', 'Rowlock'].filter(Boolean).join(' · ');
  }, [person.known]);

  const run = (job: Job, name: string, ask: (onWait: () => void) => Promise<Result>) =>
    act(subjectOf(job), name, async (onWait) => {
      const { note, claim, slots } = await ask(onWait);
      if (claim !== undefined) holding.put(job.id, claim);
      // An answer may arrive after the event of a later claim. Then the slots of the answer are out
      // of date. So while the stream is live, only events set the slots.
      if (slots && liveness !== 'live') putSlots(job.id, slots);
      holding.refresh();
      return note;
    });
  // A delayed request needs the functions of the time of its sending.
  const latestRun = useRef(run);
  latestRun.current = run;
  // A recruiter who leaves a line loses the place. A declined offer goes to the next in line. So both
  // requests wait for Undo.
  const runSoon = (job: Job, name: DelayedAct, ask: (onWait: () => void) => Promise<Result>) => {
    delay(job.id, name, {
      send: async () => latestRun.current?.(job, name, ask),
      onLate: () => say(subjectOf(job), wasAsleep),
    });
    const { words, keeps } = delayedActs[name];
    say(subjectOf(job), good(`${words} in ${UNDO_S} seconds. Press Undo to keep ${keeps}.`));
  };
  const onUndo = (job: Job) => {
    undo(job.id);
    say(subjectOf(job), good('Undone. Nothing was changed.'));
  };
  const askWho = (job: Job) => {
    say(subjectOf(job), nobodyYet);
    document.getElementById('recruiter')?.focus();
  };
  const onClaim = (job: Job) => {
    if (person.id)
      void run(job, 'claim', (onWait) => claim(job.id, person.id, leaseSeconds, onWait));
    else askWho(job);
  };
  const onJoin = (job: Job) => {
    if (person.id) void run(job, 'join', (onWait) => join(job.id, person.id, onWait));
    else askWho(job);
  };
  const onLeave = (job: Job) => runSoon(job, 'leave', (onWait) => leave(job.id, person.id, onWait));
  const onAccept = (job: Job) => {
    const offer = holding.held.get(job.id);
    if (offer) void run(job, 'accept', (onWait) => accept(offer, leaseSeconds, onWait));
  };
  const onRelease = (job: Job) => {
    const held = holding.held.get(job.id);
    if (!held) return;
    if (held.offer) runSoon(job, 'decline', (onWait) => decline(held, onWait));
    else void run(job, 'release', (onWait) => release(held, onWait));
  };
  const onRenew = (job: Job) => {
    const held = holding.held.get(job.id);
    const seconds = leaseSeconds || USUAL_LEASE_S;
    if (held) void run(job, 'renew', (onWait) => renew(held, seconds, onWait));
  };
  return (
    <>
      <div class="title">
        <h1>Jobs</h1>
        {jobs.length > 0 && <LiveBadge status={liveness} />}
      </div>
      <section class="controls" aria-label="Recruiter, claims and filters">
        <Who directory={recruiters} person={person} onChoose={({ id }) => become(String(id))} />
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
            place={holding.places.get(job.id)}
            attempt={attempts.get(job.id)}
            delayed={delayed.get(job.id)}
            note={notes.get(job.id)}
            onUndo={() => onUndo(job)}
            onClaim={() => onClaim(job)}
            onRelease={() => onRelease(job)}
            onRenew={() => onRenew(job)}
            onJoin={() => onJoin(job)}
            onLeave={() => onLeave(job)}
            onAccept={() => onAccept(job)}
            onLeaseOver={holding.refresh}
          />
        ))}
      </ul>
      {trouble && <p class="trouble">{trouble}</p>}
      {isReady && jobs.length === 0 && <EmptyBoard filter={address} onShowAll={filter} />}
      {(address.after !== '' || next !== null) && (
        <Pages
          of="jobs"
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

const subjectOf = ({ id, role }: Job) => ({ id, name: role });

interface EmptyBoardProps {
  filter: Pick<BoardAddress, 'q' | 'status' | 'after'>;
  onShowAll(change: Pick<BoardAddress, 'q' | 'status'>): void;
}

/** Explains why the page shows no jobs. A button removes the filters. */
function EmptyBoard({ filter: { q, status, after }, onShowAll }: EmptyBoardProps) {
  const isAll = !searched(q).q && !status && !after;
  const which = [status, 'job', searched(q).q && `with “${q.trim()}”`].filter(Boolean).join(' ');
  return (
    <div class="empty">
      <p>
        {isAll
          ? 'No job has been posted yet. New jobs appear here.'
          : `There is no ${which}${after ? ' on this page' : ''}.`}
      </p>
      {!isAll && (
        <button type="button" onClick={() => onShowAll({ q: '', status: '' })}>
          Show all jobs
        </button>
      )}
    </div>
  );
}

const recruiters: Directory = {
  role: 'recruiter',
  plural: 'Recruiters',
  async find(q, options) {
    const args = { limit: MOST_FOUND, ...searched(q) };
    return dataOf(await api.listRecruiters(args, options)).recruiters;
  },
  read: async (id, options) => dataOf(await api.readRecruiter({ id }, options)),
};

interface BoardAddress extends Pick<Filter, 'q' | 'status' | 'after'> {
  /** The recruiter for whom the page claims. Two tabs may have different recruiters. */
  recruiter: string;
}

const KEPT_AS = 'rowlock.recruiter';

function useBoardAddress() {
  const { change, begin, ...rest } = useAddress(readAddress);
  return {
    ...rest,
    filter: (filter: Pick<Partial<Filter>, 'q' | 'status'>) => begin(filter),
    become(recruiter: string) {
      localStorage.setItem(KEPT_AS, recruiter);
      change({ recruiter });
    },
  };
}

function readAddress(query: URLSearchParams): BoardAddress {
  const status = query.get('status');
  return {
    recruiter: query.get('recruiter') ?? localStorage.getItem(KEPT_AS) ?? '',
    q: query.get('q') ?? '',
    status: status === 'open' || status === 'full' ? status : '',
    after: query.get('after') ?? '',
  };
}
