import { type Problem, queryOf } from '../call.ts';
import type { ServerEvent } from '../events.ts';
import type { ClaimNews, Id, Job } from '../operations.generated.ts';
import type { Sender } from '../send.ts';
import { bearerOf } from '../token.ts';
import { locksOfTabs } from './locks.ts';
import { SharedStream } from './shared.ts';
import { FollowedState, type Rules } from './state.ts';
import { type FollowStatus, keepStream, type Listener } from './stream.ts';

/**
 * The jobs to follow: a list of jobs, or the jobs of a company. If both fields are missing, the
 * client follows all jobs.
 */
export interface FollowedJobs {
  jobs?: readonly Id[];
  company?: Id;
}

/**
 * The claims to follow. `true` means the claims of the recruiter that the token names. Give the id
 * of a recruiter if the server uses no tokens, or if the token names an admin.
 */
export interface FollowedClaims {
  mine: true | Id;
}

interface Handlers {
  /**
   * Called with each new status of the followed state. The status `refused` comes with a problem.
   */
  onStatus?(status: FollowStatus, problem?: Problem): void;
}

export interface JobHandlers extends Handlers {
  /**
   * Called with the present state of all followed jobs. The first call comes when the full state
   * has arrived. Later calls come after changes. `changed` has the ids of the jobs that are new,
   * changed or gone.
   */
  onJobs(jobs: ReadonlyMap<Id, Job>, changed: readonly Id[]): void;
}

/** A claim as a stream sends it. */
export type HeldClaim = ClaimNews['claim'];

export interface ClaimHandlers extends Handlers {
  /** Called with the present claims of the recruiter by id, and the ids of the changed claims. */
  onClaims(claims: ReadonlyMap<Id, HeldClaim>, changed: readonly Id[]): void;
  /** Called with each change of a claim, but not for the claims of the full state. */
  onNews?(news: ClaimNews): void;
}

export interface FollowJobs {
  /** Follows jobs. Returns a function that stops following. */
  (what: FollowedJobs, handlers: JobHandlers): () => void;
  /** Follows the claims of a recruiter. Returns a function that stops following. */
  (what: FollowedClaims, handlers: ClaimHandlers): () => void;
}

const jobRules: Rules<Job> = {
  read({ name, data }) {
    const job = data as Job;
    if (name === 'job') return { id: job.id, value: job };
    return name === 'gone' ? { id: job.id, value: undefined } : undefined;
  },
  write: (job) => ({ name: 'job', data: job }),
};

/** After news of these kinds, the claim is gone. */
const OVER: readonly ClaimNews['kind'][] = ['released', 'expired', 'declined', 'lapsed'];

const claimRules: Rules<ClaimNews> = {
  read({ name, data }) {
    if (name !== 'claim') return undefined;
    const news = data as ClaimNews;
    return { id: news.claim.id, value: OVER.includes(news.kind) ? undefined : news };
  },
  write: (news) => ({ name: 'claim', data: { ...news, kind: 'held' } }),
};

/**
 * Returns an id as the service writes ids in its answers. The id is a number if every client can
 * represent this number exactly. Otherwise the id is a string.
 */
const asAnswered = (id: Id): Id => (Number.isSafeInteger(Number(id)) ? Number(id) : id);

export const followerOf = (sender: Sender): FollowJobs =>
  function followJobs(what: FollowedJobs | FollowedClaims, handlers: JobHandlers | ClaimHandlers) {
    if ('mine' in what) return followClaims(sender, what, handlers as ClaimHandlers);
    const { jobs = [], company } = what;
    const path = `/jobs/events${queryOf({ jobId: jobs, companyId: company })}`;
    const { onJobs, onStatus } = handlers as JobHandlers;
    const expected = jobs.map(asAnswered);
    const state = new FollowedState<Job>(jobRules, expected, (all, changed) =>
      onJobs(all as ReadonlyMap<Id, Job>, changed as Id[]),
    );
    return follow(sender, path, state, { onStatus, onEvent: () => undefined });
  };

function followClaims(
  sender: Sender,
  { mine }: FollowedClaims,
  { onClaims, onNews, onStatus }: ClaimHandlers,
) {
  const path = `/me/events${queryOf({ recruiterId: mine === true ? undefined : mine })}`;
  const state = new FollowedState<ClaimNews>(claimRules, [], (all, changed) =>
    onClaims(new Map([...all.values()].map(({ claim }) => [claim.id, claim])), changed as Id[]),
  );
  const onEvent = ({ name, data }: ServerEvent) => {
    if (name === 'claim' && (data as ClaimNews).kind !== 'held') onNews?.(data as ClaimNews);
  };
  return follow(sender, path, state, { onStatus, onEvent });
}

interface Reaction {
  onStatus: Handlers['onStatus'];
  onEvent(event: ServerEvent): void;
}

/**
 * Keeps the state up to date, from a stream of this tab or of another tab. Returns a function that
 * stops following.
 */
function follow<T>(
  sender: Sender,
  path: string,
  state: FollowedState<T>,
  { onStatus, onEvent }: Reaction,
): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listener: Listener = {
    onEvent(event) {
      if (signal.aborted) return;
      state.take(event);
      onEvent(event);
    },
    onStatus(status, problem) {
      if (!signal.aborted) onStatus?.(status, problem);
    },
  };
  listener.onStatus('connecting');
  void run(sender, path, state, listener, signal);
  return () => {
    stopping.abort();
    state.stop();
  };
}

async function run<T>(
  sender: Sender,
  path: string,
  state: FollowedState<T>,
  listener: Listener,
  signal: AbortSignal,
) {
  const locks = locksOfTabs();
  const keep = (to: Listener, until: AbortSignal) => keepStream(sender, path, to, until, locks);
  if (!locks) return keep(listener, signal);
  // People with different tokens may see different jobs and claims, so their tabs share no stream.
  // A renewed token has the same role and id.
  const { role, sub } = bearerOf(await sender.tokens.get().catch(() => ''));
  const topic = ['rowlock', sender.url, path, role, sub].join(' ');
  const fullState = () => state.asEvents();
  await new SharedStream({ locks, topic, keep, fullState, listener, signal }).run();
}
