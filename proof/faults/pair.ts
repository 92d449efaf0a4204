import { type EmbeddedPostgres, startEmbedded } from '../../src/platform/postgres/embedded.ts';
import { holderOf } from '../../src/platform/postgres/holder.ts';
import { dataOf } from '../../src/platform/postgres/home.ts';
import { PlainError } from '../../src/platform/process/errors.ts';
import { inTime } from '../../src/platform/waiting/deadline.ts';
import { until } from '../../src/platform/waiting/until.ts';
import { onDatabase } from './audit.ts';
import { openRelay, type Relay } from './relay.ts';

const ATTACH_PATIENCE_MS = 30_000;
const PROMOTE_PATIENCE_S = 30;
const KILL_PATIENCE_MS = 30_000;
const LOOK_MS = 10;

/**
 * A primary server and its synchronous standby. The primary acknowledges a commit only when the
 * standby has written the commit to its disk.
 *
 * One relay acts as a load balancer in front of the two servers. Each server also has a relay of
 * its own, called its road. A new standby takes over the road of the server that it replaces, so
 * the addresses of the two roads never change.
 */
export class Pair {
  readonly relay: Relay;
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  readonly #signal: AbortSignal;
  readonly #roads: Map<EmbeddedPostgres, Relay>;

  private constructor(
    relay: Relay,
    roads: [Relay, Relay],
    [primary, standby]: [EmbeddedPostgres, EmbeddedPostgres],
    signal: AbortSignal,
  ) {
    this.relay = relay;
    this.primary = primary;
    this.standby = standby;
    this.#signal = signal;
    this.#roads = new Map([
      [primary, roads[0]],
      [standby, roads[1]],
    ]);
  }

  static async open(signal: AbortSignal): Promise<Pair> {
    const primary = await startEmbedded(undefined, signal, { durable: true });
    let standby: EmbeddedPostgres | undefined;
    try {
      standby = await startStandby(primary, signal);
      const relay = await openRelay(primary.url);
      const roads = [await openRelay(primary.url), await openRelay(standby.url)] as const;
      return new Pair(relay, [...roads], [primary, standby], signal);
    } catch (error) {
      await standby?.stop();
      await primary.stop();
      throw error;
    }
  }

  /** The address of the database through the load balancer. */
  get url(): string {
    return this.relay.url;
  }

  /** The address of the database with two hosts, one road for each server. */
  get hostsUrl(): string {
    const hosts = [...this.#roads.values()].map(({ url }) => new URL(url).host).join(',');
    return this.relay.url.replace(new URL(this.relay.url).host, hosts);
  }

  /** Returns the road to this server. */
  roadTo(server: EmbeddedPostgres): Relay {
    const road = this.#roads.get(server);
    if (!road) throw new Error('there is no road to this server');
    return road;
  }

  /**
   * Makes the standby lag. The standby still writes to its disk, but shows no new data until its
   * promotion.
   */
  async lag() {
    await onDatabase(this.standby.url, (sql) => sql`SELECT pg_wal_replay_pause()`);
  }

  /** Makes the standby the primary. The former primary does not notice the promotion. */
  async promote() {
    const [row] = await onDatabase(
      this.standby.url,
      (sql) => sql<{ isDone: boolean }[]>`
        SELECT pg_promote(wait_seconds => ${PROMOTE_PATIENCE_S}) AS "isDone"`,
    );
    if (!row?.isDone) throw new PlainError('The standby was not promoted in time.');
    [this.primary, this.standby] = [this.standby, this.primary];
  }

  /** Starts a new standby in place of a killed or frozen server. */
  async replaceStandby() {
    const killed = this.standby;
    this.standby = await startStandby(this.primary, this.#signal);
    const road = this.roadTo(killed);
    road.turn(this.standby.url);
    road.freeze(false);
    this.#roads.delete(killed);
    this.#roads.set(this.standby, road);
    await killed.stop();
  }

  /**
   * Makes a planned switchover. The primary shuts down cleanly and starts again as a standby. Then
   * the other server is promoted.
   */
  async switchOver() {
    const { url, home } = this.standby;
    await this.primary.restart({ url, home });
    await this.promote();
    await waitForStandby(this.primary);
  }

  async stop() {
    for (const relay of [this.relay, ...this.#roads.values()]) relay.cut();
    await this.standby.stop();
    await this.primary.stop();
  }
}

async function startStandby(primary: EmbeddedPostgres, signal: AbortSignal) {
  const standby = await startEmbedded(undefined, signal, {
    durable: true,
    standbyOf: primary,
  });
  try {
    await waitForStandby(primary);
    return standby;
  } catch (error) {
    await standby.stop();
    throw error;
  }
}

/**
 * Makes the primary wait for a standby at each commit. Resolves when a standby is attached.
 */
const waitForStandby = (primary: EmbeddedPostgres) =>
  onDatabase(primary.url, async (sql) => {
    await sql`ALTER SYSTEM SET synchronous_standby_names = '*'`;
    await sql`SELECT pg_reload_conf()`;
    const isAttached = async () => {
      const attached = await sql`
        SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'`;
      return attached.length > 0;
    };
    if (!(await until(isAttached, { everyMs: LOOK_MS, withinMs: ATTACH_PATIENCE_MS })))
      throw new PlainError('The standby did not attach in time.');
  });

/** Kills a server with SIGKILL, as if its machine were lost. */
export async function kill(server: Pick<EmbeddedPostgres, 'home' | 'failed'>) {
  const holder = holderOf(dataOf(server.home));
  if (holder.kind !== 'rowlock') throw new Error('there is no server to kill');
  process.kill(holder.pid, 'SIGKILL');
  const late = () => Promise.reject(new PlainError('The killed PostgreSQL did not end in time.'));
  await inTime(server.failed, KILL_PATIENCE_MS, late);
}
