import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded.ts';
import { holderOf } from '../postgres/holder.ts';
import { dataOf } from '../postgres/home.ts';
import { until } from '../waiting/until.ts';
import { onDatabase } from './audit.ts';
import { openRelay, type Relay } from './relay.ts';

const ATTACH_PATIENCE_MS = 30_000;
const LOOK_MS = 10;

/**
 * A primary server and its synchronous standby, behind a relay that acts as a load balancer. The
 * primary acknowledges a commit only when the standby has written the commit to its disk.
 */
export class Pair {
  readonly relay: Relay;
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  readonly #signal: AbortSignal;

  private constructor(
    relay: Relay,
    [primary, standby]: [EmbeddedPostgres, EmbeddedPostgres],
    signal: AbortSignal,
  ) {
    this.relay = relay;
    this.primary = primary;
    this.standby = standby;
    this.#signal = signal;
  }

  static async open(signal: AbortSignal): Promise<Pair> {
    const primary = await startEmbedded(undefined, signal, { durable: true });
    let standby: EmbeddedPostgres | undefined;
    try {
      standby = await startStandby(primary, signal);
      return new Pair(await openRelay(primary.url), [primary, standby], signal);
    } catch (error) {
      await standby?.stop();
      await primary.stop();
      throw error;
    }
  }

  /** The address of the database, through the relay. */
  get url(): string {
    return this.relay.url;
  }

  /**
   * Makes the standby lag. The standby still writes to its disk, but shows no new data until its
   * promotion.
   */
  async lag() {
    await onDatabase(this.standby.url, (sql) => sql`SELECT pg_wal_replay_pause()`);
  }

  /** Makes the standby the primary. The former primary is not told. */
  async promote() {
    await onDatabase(this.standby.url, (sql) => sql`SELECT pg_promote()`);
    [this.primary, this.standby] = [this.standby, this.primary];
  }

  /** Starts a new standby in place of a killed one. */
  async replaceStandby() {
    const killed = this.standby;
    this.standby = await startStandby(this.primary, this.#signal);
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
    this.relay.cut();
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
      throw new Error('the standby did not attach in time');
  });

/** Sends SIGKILL, as if the server's machine were lost. */
export async function kill(server: Pick<EmbeddedPostgres, 'home' | 'failed'>) {
  const holder = holderOf(dataOf(server.home));
  if (holder.kind !== 'rowlock') throw new Error('there is no server to kill');
  process.kill(holder.pid, 'SIGKILL');
  await server.failed;
}
