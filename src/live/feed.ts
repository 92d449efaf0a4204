import type { Database } from '../db/client.ts';
import { isConnectionLost, nothingRan } from '../db/sqlstate.ts';
import { describe } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import { Announcements } from './announcements.ts';
import type { Batch } from './batch.ts';
import { ChangedJobs } from './changed-jobs.ts';
import { Follower } from './follower.ts';
import { inSlices } from './in-slices.ts';
import { FEED_LIMITS, type FeedLimits } from './limits.ts';
import {
  type Followed,
  hasMoreJobsThan,
  newsAbout,
  type Page,
  readChanged,
  readPage,
  topicOf,
} from './queries.ts';

export interface FeedDeps {
  db: Database;
  /** Where to listen: the same database as `db`. */
  url: string;
  log: Log;
  limits?: Partial<FeedLimits>;
}

/**
 * The one who follows. With tokens, a caller follows until its token ends (in milliseconds since
 * 1970). Without tokens, only the network of the client is known.
 */
export type Client = { caller: string; until: number } | { network: string };

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
  readonly #limits: FeedLimits;
  readonly #announcements: Announcements;
  /** Each follower with the name of its client. */
  readonly #followers = new Map<Follower, string>();
  readonly #changed: ChangedJobs;
  readonly #pages = new Map<string, SharedPage>();
  #lastRead: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({ db, url, log, limits }: FeedDeps) {
    this.#db = db;
    this.#limits = { ...FEED_LIMITS, ...limits };
    this.#changed = new ChangedJobs({
      read: (ids) => this.#inTurn(() => this.#tell(ids)),
      onFailure: (error) =>
        log.error({ event: 'changed jobs could not be read', error: describe(error) }),
    });
    this.#announcements = new Announcements(url, {
      onJob: (id) => this.#onJob(id),
      onHeard: () => this.#restartAll(),
      onDeaf: (error) => log.error({ event: 'jobs are not announced', error: describe(error) }),
    });
  }

  /**
   * A new follower. Reading its full state has begun. `full` when there are too many followers,
   * `full of yours` when this client has too many, `closed` after `close`, `too many jobs` when the
   * full state would be too large. Throws when the database cannot be reached or read.
   */
  async follow(followed: Followed, client: Client): Promise<Follower | NotFollowed> {
    if (this.#isClosed) return 'closed';
    if (this.#followers.size >= this.#limits.followers) return 'full';
    if (this.#hasEnough(client)) return 'full of yours';
    const follower = this.#add(followed, client);
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
    this.#changed.close();
    for (const follower of this.#followers.keys()) follower.leave();
  }

  #hasEnough(client: Client): boolean {
    const name = clientName(client);
    const { followersOfCaller, followersOfNetwork } = this.#limits;
    const most = 'caller' in client ? followersOfCaller : followersOfNetwork;
    return [...this.#followers.values()].filter((each) => each === name).length >= most;
  }

  #add(followed: Followed, client: Client): Follower {
    const follower = new Follower(followed, {
      read: (...page) => this.#readPage(...page),
      heartbeatMs: this.#limits.heartbeatMs,
      pending: this.#limits.pending,
    });
    this.#followers.set(follower, clientName(client));
    follower.left.addEventListener('abort', () => this.#followers.delete(follower));
    if ('until' in client) follower.leaveAt(client.until);
    return follower;
  }

  #onJob(id: bigint) {
    if (this.#followers.size === 0) return;
    this.#changed.add(id);
    if (this.#changed.size > this.#limits.changed) this.#restartAll();
  }

  #restartAll() {
    this.#changed.clear();
    for (const follower of this.#followers.keys()) follower.restart();
  }

  /** Reads the jobs once, and tells each follower. Followers of the same jobs share a batch. */
  async #tell(ids: bigint[]) {
    const news = await readChanged(this.#db, ids);
    const batches = new Map<string, Batch>();
    await inSlices(this.#followers.keys(), (follower) => {
      const { topic, followed } = follower;
      const batch = batches.get(topic) ?? newsAbout(followed, news);
      batches.set(topic, batch);
      if (batch.events.size > 0) follower.put(batch);
    });
  }

  /** Followers that wait for the same page share one read. After a gap many followers do. */
  #readPage(followed: Followed, cursor: bigint, take: (page: Page) => void): Promise<void> {
    const name = `${cursor} ${topicOf(followed)}`;
    const shared = this.#pages.get(name) ?? this.#readShared(name, followed, cursor);
    return new Promise((resolve, reject) => {
      // A follower goes on as soon as it has the page. If all went on at once, requests would wait.
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

/** A page that is still to be read, and the followers who wait for it. */
interface SharedPage {
  takers: ((page: Page) => void)[];
  read: Promise<void>;
}

const clientName = (client: Client): string =>
  'caller' in client ? client.caller : client.network;
