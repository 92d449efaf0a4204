import { setImmediate } from 'node:timers/promises';
import type { Database, StatementTime } from '../../platform/db/client.ts';
import { isConnectionLost, nothingRan } from '../../platform/db/sqlstate.ts';
import { describe } from '../../platform/process/errors.ts';
import type { Log } from '../../platform/process/log.ts';
import { readClaimEvents, readNews, type Seen, seenNow } from '../outbox/queries.ts';
import { type Place, readPlaces } from '../waitlist/queries.ts';
import type { Batch } from './batch.ts';
import { Follower } from './follower.ts';
import { LeaseWatch } from './lease-watch.ts';
import { FEED_LIMITS, type FeedLimits } from './limits.ts';
import { KnownPlaces } from './places.ts';
import {
  exists,
  type Followed,
  hasMoreJobsThan,
  newsAbout,
  ownBatch,
  type Page,
  readChanged,
  readPage,
  topicOf,
} from './queries.ts';
import { Watch } from './watch.ts';

export interface FeedDeps {
  db: Database;
  log: Log;
  limits?: Partial<FeedLimits>;
}

/**
 * The client that follows. With tokens, a caller may follow until its token expires. `until` is
 * this time, in milliseconds since 1970. Without tokens, we know only the client's network.
 */
export type Client = { caller: string; until: number } | { network: string };

/** The reason why a client may not follow. */
export type NotFollowed = 'full' | 'full of yours' | 'closed' | 'not found' | 'too many jobs';

/** The largest number of jobs that are read together. */
const READ_AT_ONCE = 1_000;

/**
 * Sends followers the state of jobs. The full state comes first, and then each job that a commit
 * changes. The feed finds these jobs in the table of events, so it finds every commit of every
 * server.
 *
 * All reads run one after the other, both reads of the full state and reads of changed jobs. A
 * later read sees everything that an earlier read saw, so the news about a job never goes back in
 * time.
 */
export class Feed {
  readonly #db: Database;
  readonly #limits: FeedLimits;
  readonly #watch: Watch;
  #seen: Seen | undefined;
  /** Each follower, with the name of its client. */
  readonly #followers = new Map<Follower, string>();
  /** What each follower of a recruiter knows. */
  readonly #known = new Map<Follower, Known>();
  readonly #pages = new Map<string, SharedPage>();
  #lastRead: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({ db, log, limits }: FeedDeps) {
    this.#db = db;
    this.#limits = { ...FEED_LIMITS, ...limits };
    this.#watch = new Watch({
      begin: async () => {
        this.#seen = await seenNow(db);
      },
      look: () => this.#look(),
      isWanted: () => this.#followers.size > 0,
      onFailure: (error) =>
        log.error({ event: 'changed jobs could not be read', error: describe(error) }),
    });
  }

  /**
   * Called after each statement of this server. After a COMMIT, the feed checks for news
   * immediately.
   */
  observe({ text }: StatementTime) {
    if (text === 'commit') this.#watch.noteCommit();
  }

  /**
   * Adds a follower, and reads the first page of its full state. Returns `full` if there are too
   * many followers, and `full of yours` if this client has too many followers. Returns `closed`
   * after `close`, and `not found` if there is no such company or recruiter. Returns `too many
   * jobs` if the full state is too large. Throws if the database cannot be reached or read.
   */
  async follow(followed: Followed, client: Client): Promise<Follower | NotFollowed> {
    if (this.#isClosed) return 'closed';
    if (this.#followers.size >= this.#limits.followers) return 'full';
    if (this.#hasEnough(client)) return 'full of yours';
    const follower = this.#add(followed, client);
    try {
      // The watch begins before the full state is read, so no commit is missed in between.
      await this.#watch.begin();
      const refusal = await this.#refusalOf(followed);
      if (refusal) {
        follower.leave();
        return refusal;
      }
      await follower.readOn();
    } catch (error) {
      follower.leave();
      // Only reads were running, so repeating the request is safe.
      throw isConnectionLost(error) ? nothingRan(error) : error;
    }
    return follower.left.aborted ? 'closed' : follower;
  }

  load(): { followers: number } {
    return { followers: this.#followers.size };
  }

  /** Ends the streams of all followers, and stops checking for news. */
  close() {
    this.#isClosed = true;
    this.#watch.close();
    for (const follower of this.#followers.keys()) follower.leave();
  }

  async #refusalOf(followed: Followed) {
    if (!(await exists(this.#db, followed))) return 'not found';
    const isLarge = await hasMoreJobsThan(this.#limits.jobs, this.#db, followed);
    return isLarge ? 'too many jobs' : undefined;
  }

  #hasEnough(client: Client): boolean {
    const name = clientName(client);
    const { followersOfCaller, followersOfNetwork } = this.#limits;
    const most = 'caller' in client ? followersOfCaller : followersOfNetwork;
    return [...this.#followers.values()].filter((each) => each === name).length >= most;
  }

  #add(followed: Followed, client: Client): Follower {
    const { recruiterId } = followed;
    const leases = new LeaseWatch((ending) =>
      follower.put(ownBatch({ claims: [ending], places: [] })),
    );
    const places = new KnownPlaces(recruiterId ?? 0n);
    const follower = new Follower(followed, {
      read: (what, cursor, take) =>
        this.#readPage(what, cursor, (page) => {
          if (cursor === 0n) {
            leases.clear();
            places.clear();
          }
          leases.hear(page.own.claims);
          places.hear(jobsOf(page.own.places), page.own.places);
          take(page);
        }),
      heartbeatMs: this.#limits.heartbeatMs,
      pending: this.#limits.pending,
    });
    this.#followers.set(follower, clientName(client));
    if (recruiterId !== undefined) this.#known.set(follower, { recruiterId, leases, places });
    follower.left.addEventListener('abort', () => {
      this.#followers.delete(follower);
      this.#known.delete(follower);
      leases.clear();
    });
    if ('until' in client) follower.leaveAt(client.until);
    return follower;
  }

  /**
   * Sends the news since the last check. If a read fails, the next check finds the same news again.
   */
  async #look(): Promise<boolean> {
    if (!this.#seen) throw new Error('a check came before the watch had begun');
    const { seen, jobIds } = await readNews(this.#db, this.#seen, this.#limits.changed);
    if (!jobIds) for (const follower of this.#followers.keys()) follower.restart();
    for (let read = 0; jobIds && read < jobIds.length; read += READ_AT_ONCE)
      await this.#inTurn(() => this.#tell(jobIds.slice(read, read + READ_AT_ONCE)));
    if (jobIds && jobIds.length > 0)
      await this.#tellRecruiters(jobIds, { before: this.#seen, after: seen });
    this.#seen = seen;
    return jobIds?.length !== 0;
  }

  /**
   * Reads the jobs once, and sends them to each follower. Followers of the same jobs share a batch.
   */
  async #tell(ids: bigint[]) {
    const news = await readChanged(this.#db, ids);
    const batches = new Map<string, Batch>();
    await inSlices(this.#followers.keys(), (follower) => {
      const { topic, followed } = follower;
      if (followed.recruiterId !== undefined) return;
      const batch = batches.get(topic) ?? newsAbout(followed, news);
      batches.set(topic, batch);
      if (batch.events.size > 0) follower.put(batch);
    });
  }

  /**
   * Reads the news about the claims and the places in line of the followed recruiters, and sends it
   * to their followers.
   */
  async #tellRecruiters(jobIds: bigint[], seen: Record<'before' | 'after', Seen>) {
    const recruiterIds = [...new Set([...this.#known.values()].map((each) => each.recruiterId))];
    if (recruiterIds.length === 0) return;
    await this.#inTurn(async () => {
      const news = await readClaimEvents(this.#db, seen, recruiterIds);
      const present = byRecruiter(await this.#readPlacesIn(jobIds, recruiterIds));
      const changedJobs = new Set(jobIds);
      await inSlices(this.#known, ([follower, { recruiterId, leases, places }]) => {
        const claims = news.filter((each) => each.recruiterId === recruiterId);
        const moved = places.hear(changedJobs, present.get(recruiterId) ?? []);
        if (claims.length + moved.length === 0) return;
        leases.hear(claims);
        follower.put(ownBatch({ claims, places: moved }));
      });
    });
  }

  async #readPlacesIn(jobIds: bigint[], recruiterIds: bigint[]): Promise<Place[]> {
    const places: Place[] = [];
    for (let read = 0; read < jobIds.length; read += READ_AT_ONCE) {
      const some = jobIds.slice(read, read + READ_AT_ONCE);
      places.push(...(await readPlaces(this.#db, recruiterIds, some)));
    }
    return places;
  }

  /**
   * Reads a page. Followers that wait for the same page share one read. After a lost connection,
   * many followers wait for the same page.
   */
  #readPage(followed: Followed, cursor: bigint, take: (page: Page) => void): Promise<void> {
    const name = `${cursor} ${topicOf(followed)}`;
    const shared = this.#pages.get(name) ?? this.#readShared(name, followed, cursor);
    return new Promise((resolve, reject) => {
      // Each follower goes on as soon as it has the page. If all followers went on together,
      // requests would wait longer.
      shared.takers.push((page) => {
        take(page);
        resolve();
      });
      shared.read.catch(reject);
    });
  }

  #readShared(name: string, followed: Followed, cursor: bigint): SharedPage {
    const takers: SharedPage['takers'] = [];
    const read = this.#inTurn(async () => {
      this.#pages.delete(name);
      const page = await readPage(this.#db, followed, cursor);
      await inSlices(takers, (take) => take(page));
    });
    const shared = { takers, read };
    this.#pages.set(name, shared);
    return shared;
  }

  #inTurn(read: () => Promise<void>): Promise<void> {
    const result = this.#lastRead.then(read);
    this.#lastRead = result.catch(() => undefined);
    return result;
  }
}

/** A page that is not read yet, and the followers that wait for it. */
interface SharedPage {
  takers: ((page: Page) => void)[];
  read: Promise<void>;
}

/** A recruiter who is followed, with the leases and places that the follower knows. */
interface Known {
  recruiterId: bigint;
  leases: LeaseWatch;
  places: KnownPlaces;
}

function byRecruiter(places: readonly Place[]): Map<bigint, Place[]> {
  const found = new Map<bigint, Place[]>();
  for (const place of places) {
    const mine = found.get(place.recruiterId);
    if (mine) mine.push(place);
    else found.set(place.recruiterId, [place]);
  }
  return found;
}

const jobsOf = (places: readonly Place[]) => new Set(places.map(({ jobId }) => jobId));

const clientName = (client: Client): string =>
  'caller' in client ? client.caller : client.network;

/**
 * The number of items in a slice. Writing to this many followers takes about a third of a
 * millisecond. A claim may wait for several slices.
 */
const SLICE = 8;

/** Calls `act` for each item, a few items at a time. The server answers requests in between. */
async function inSlices<T>(items: Iterable<T>, act: (item: T) => void) {
  let done = 0;
  for (const item of items) {
    act(item);
    if (++done % SLICE === 0) await setImmediate();
  }
}
