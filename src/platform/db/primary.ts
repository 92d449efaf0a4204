import type { Socket } from 'node:net';
import { pause } from '../waiting/backoff.ts';
import {
  ask,
  askAll,
  asking,
  choose,
  type HostAnswer,
  isRefusal,
  type Known,
  say,
  tellsTimeline,
} from './ask-hosts.ts';
import { dial } from './driver.ts';
import { failure } from './failure.ts';
import { hostNames, hostsOf } from './hosts.ts';
import { NO_PRIMARY } from './sqlstate.ts';

/** The maximum wait of a connection for a primary. A switchover takes about a second. */
const FIND_MS = 1_000;
const FIND_AGAIN_MS = 100;
/** The interval at which the process asks the primary whether it still is the primary. */
const WATCH_MS = 250;
/**
 * The number of checks in a group. The first check of each group asks all hosts, and waits for each
 * answer. The other checks ask only the primary. We do not rely on the first answer. A former
 * primary that was cut off from its standbys may still answer, and may answer sooner.
 */
const LOOKS_AT_ALL = 20;

/** Addresses with open connections. */
const known = new Map<string, Hosts>();

/**
 * Returns the hosts of this address. All connections of the process share the state of these hosts.
 */
export function primaryAmong(url: string): Hosts {
  const hosts = known.get(url) ?? new Hosts(url);
  known.set(url, hosts);
  return hosts;
}

/**
 * Several hosts with one primary. While connections are open, one more connection watches the
 * primary. When another host has become the primary, this class closes all connections to the
 * former primary. A frozen host closes no connection itself.
 */
export class Hosts {
  readonly #url: string;
  readonly #known: Known;
  #finding: Promise<string> | undefined;
  /** The number of watches that have begun. */
  #watches = 0;
  /** The number of dials that have not ended. */
  #dials = 0;
  readonly #sockets = new Map<Socket, string>();

  constructor(url: string) {
    this.#url = url;
    this.#known = { hosts: hostsOf(url), primary: undefined, timeline: '' };
  }

  /** Connects to the primary. Throws NO_PRIMARY if no primary is found in time. */
  async dial(): Promise<Socket> {
    this.#dials++;
    return this.#dialPrimary().finally(() => {
      this.#dials--;
    });
  }

  async #dialPrimary(): Promise<Socket> {
    const wasKnown = this.#known.primary !== undefined;
    const host = this.#known.primary ?? (await this.#find());
    try {
      const socket = await dial(host);
      this.#sockets.set(socket, host);
      // The primary may have changed during the dial.
      if (![undefined, host].includes(this.#known.primary)) socket.destroy();
      return socket;
    } catch (error) {
      this.#doubt(host);
      if (wasKnown) return this.#dialPrimary();
      throw error;
    }
  }

  #doubt(host: string) {
    if (this.#known.primary === host) this.#known.primary = undefined;
  }

  /** Searches for the primary. Callers at the same time share one search. */
  #find(): Promise<string> {
    this.#finding ??= this.#search().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #search(): Promise<string> {
    const deadline = performance.now() + FIND_MS;
    for (;;) {
      const told = await askAll(this.#known);
      const found = choose(told, this.#known);
      if (found) return this.#follow(found);
      if (performance.now() > deadline) throw this.#noPrimary(told);
      await pause(FIND_AGAIN_MS);
    }
  }

  #follow({ host, timeline }: HostAnswer): string {
    this.#known.timeline = timeline ?? '';
    for (const [socket, to] of this.#sockets) if (to !== host) socket.destroy();
    if (this.#known.primary !== host) {
      this.#known.primary = host;
      void this.#watch(host);
    }
    return host;
  }

  /** Asks all hosts, and waits for each answer. Follows another host if its timeline is newer. */
  async #lookAtAll(host: string) {
    const told = await Promise.all(this.#known.hosts.map(ask));
    const found = choose(told, this.#known);
    if (found && this.#known.primary === host) this.#follow(found);
  }

  /**
   * Makes the error for a missing primary. If all hosts refuse us, the error has their reason, such
   * as a wrong account.
   */
  #noPrimary(told: HostAnswer[]) {
    if (told.every(({ error }) => isRefusal(error))) return told[0]?.error;
    const names = hostNames(this.#url);
    const words = told.map((each) => `${names[this.#known.hosts.indexOf(each.host)]} ${say(each)}`);
    return failure(NO_PRIMARY, `none of the hosts is the primary (${words.join(', ')})`);
  }

  /**
   * Asks the host again and again whether it is still the primary. If the host is no longer the
   * primary, searches for the new primary. Ends when nobody needs a primary.
   */
  async #watch(host: string) {
    const turn = ++this.#watches;
    const isOurs = () => this.#watches === turn;
    const lost = new AbortController();
    const client = asking(host, () => lost.abort());
    for (let looks = 0; isOurs() && this.#known.primary === host; looks++) {
      await pause(WATCH_MS, lost.signal);
      if (!this.#isUsed()) break;
      const isPrimary = !lost.signal.aborted && (await tellsTimeline(client));
      if (!isPrimary) this.#doubt(host);
      else if (looks % LOOKS_AT_ALL === 0) void this.#lookAtAll(host);
    }
    void client.end({ timeout: 0 });
    // Another watch has begun, because a connection to the host failed and a search found the same
    // host again.
    if (!isOurs()) return;
    this.#doubt(host);
    // Connections may wait for a frozen host. They are closed when there is a new primary.
    const isNeeded = () => this.#known.primary === undefined && this.#isUsed();
    while (isNeeded()) await this.#find().catch(() => undefined);
    if (this.#known.primary === undefined && known.get(this.#url) === this) known.delete(this.#url);
  }

  #isUsed(): boolean {
    for (const socket of this.#sockets.keys()) if (socket.destroyed) this.#sockets.delete(socket);
    return this.#dials + this.#sockets.size > 0;
  }
}
