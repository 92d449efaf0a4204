import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
import { isConnectionLost, nothingRan } from '../db/sqlstate.ts';
import { describe } from '../errors.ts';
import { findJobs } from '../jobs/queries.ts';
import type { Log } from '../log.ts';
import { Announcements } from './announcements.ts';
import { goneEvent, jobEvent } from './events.ts';
import { Follower } from './follower.ts';
import { FEED_LIMITS, type FeedLimits } from './limits.ts';
import { pauseAfter } from './pause.ts';
import {
  type Followed,
  hasMoreJobsThan,
  isFollowed,
  PAGE,
  type Page,
  readPage,
} from './queries.ts';

export interface FeedDeps {
  db: Database;
  /** Where to listen: the same database as `db`. */
  url: string;
  log: Log;
  limits?: Partial<FeedLimits>;
}

/** Who follows, and until when (in milliseconds since 1970); nothing where everybody may. */
export interface Leave {
  by?: string | undefined;
  until?: number | undefined;
}

/** Why a client is not told anything. */
export type NotFollowed = 'full' | 'full of yours' | 'closed' | 'too many jobs';

/**
 * Tells followers the state of jobs, at first in full, and then after each commit that changes one.
 *
 * Everything is read in turn, the full state and the changed jobs alike: of two reads the later one
 * sees all that the earlier one saw, so what a follower hears of a job never goes back in time.
 */
export class Feed {
  readonly #db: Database;
  readonly #log: FeedDeps['log'];
  readonly #limits: FeedLimits;
  readonly #announcements: Announcements;
  /** Each with its caller, where callers are told apart. */
  readonly #followers = new Map<Follower, string | undefined>();
  readonly #changed = new Set<bigint>();
  readonly #pages = new Map<string, { takers: ((page: Page) => void)[]; read: Promise<void> }>();
  #lastRead: Promise<unknown> = Promise.resolve();
  #isReadingChanges = false;
  #isClosed = false;

  constructor({ db, url, log, limits }: FeedDeps) {
    this.#db = db;
    this.#log = log;
    this.#limits = { ...FEED_LIMITS, ...limits };
    this.#announcements = new Announcements(url, {
      onJob: (id) => this.#onJob(id),
      onHeard: () => this.#restartAll(),
      onDeaf: (error) => log.error({ event: 'jobs are not announced', error: describe(error) }),
    });
  }

  /**
   * A new follower, whose full state has begun to be read. `full` when there are too many, `full of
   * yours` of this caller, `closed` after `close`, `too many jobs` when the full state would be too
   * large. Throws when the database cannot be reached or read.
   */
  async follow(followed: Followed, leave: Leave = {}): Promise<Follower | NotFollowed> {
    if (this.#isClosed) return 'closed';
    if (this.#followers.size >= this.#limits.followers) return 'full';
    if (this.#followersOf(leave.by) >= this.#limits.followersOfCaller) return 'full of yours';
    const follower = this.#add(followed, leave);
    try {
      await this.#announcements.heard();
      if (await hasMoreJobsThan(this.#limits.jobs, this.#db, followed)) {
        follower.leave();
        return 'too many jobs';
      }
      await follower.readOn();
    } catch (error) {
      follower.leave();
      // Nothing but reads were under way, so asking again is safe.
      throw isConnectionLost(error) ? nothingRan(error) : error;
    }
    return follower.left.aborted ? 'closed' : follower;
  }

  load(): { followers: number } {
    return { followers: this.#followers.size };
  }

  /** Leaves all followers, which ends their streams, and listens no more. */
  close() {
    this.#isClosed = true;
    this.#announcements.close();
    for (const follower of this.#followers.keys()) follower.leave();
  }

  #followersOf(by: string | undefined): number {
    if (by === undefined) return 0;
    return [...this.#followers.values()].filter((each) => each === by).length;
  }

  #add(followed: Followed, { by, until }: Leave): Follower {
    const follower = new Follower(followed, {
      read: (...page) => this.#readPage(...page),
      heartbeatMs: this.#limits.heartbeatMs,
      pending: this.#limits.pending,
    });
    this.#followers.set(follower, by);
    follower.left.addEventListener('abort', () => this.#followers.delete(follower));
    if (until !== undefined) follower.leaveAt(until);
    return follower;
  }

  #onJob(id: bigint) {
    if (this.#followers.size === 0) return;
    this.#changed.add(id);
    if (this.#changed.size > this.#limits.changed) this.#restartAll();
    void this.#readChanges();
  }

  #restartAll() {
    this.#changed.clear();
    for (const follower of this.#followers.keys()) follower.restart();
  }

  async #readChanges() {
    if (this.#isReadingChanges) return;
    this.#isReadingChanges = true;
    for (let failures = 0; this.#changed.size > 0 && !this.#isClosed; ) {
      try {
        await this.#inTurn(() => this.#readSomeChanged());
        failures = 0;
      } catch (error) {
        this.#log.error({ event: 'changed jobs could not be read', error: describe(error) });
        await sleep(pauseAfter(failures++), undefined, { ref: false });
      }
    }
    this.#isReadingChanges = false;
  }

  async #readSomeChanged() {
    const ids = [...this.#changed].slice(0, PAGE);
    // Before the read: what is announced from now on has to be read again.
    for (const id of ids) this.#changed.delete(id);
    try {
      await this.#tell(ids);
    } catch (error) {
      for (const id of ids) this.#changed.add(id);
      throw error;
    }
  }

  async #tell(ids: bigint[]) {
    const gone = new Set(ids);
    for (const job of await findJobs(this.#db, ids)) {
      gone.delete(job.id);
      const text = jobEvent(job);
      for (const follower of this.#followers.keys())
        if (isFollowed(follower.followed, job.id, job.company.id)) follower.put(job.id, text);
    }
    for (const id of gone)
      for (const follower of this.#followers.keys())
        if (isFollowed(follower.followed, id)) follower.put(id, goneEvent(id));
  }

  /** Followers that ask for the same page before it is read share it: after a gap, many do. */
  #readPage(followed: Followed, cursor: bigint, take: (page: Page) => void): Promise<void> {
    const key = [cursor, followed.companyId, ...(followed.jobIds ?? [])].join();
    const waiting = this.#pages.get(key);
    if (waiting) {
      waiting.takers.push(take);
      return waiting.read;
    }
    const takers = [take];
    const read = this.#inTurn(async () => {
      this.#pages.delete(key);
      const page = await readPage(this.#db, followed, cursor);
      for (const each of takers) each(page);
    });
    this.#pages.set(key, { takers, read });
    return read;
  }

  #inTurn(read: () => Promise<void>): Promise<void> {
    const result = this.#lastRead.then(read);
    this.#lastRead = result.catch(() => undefined);
    return result;
  }
}
