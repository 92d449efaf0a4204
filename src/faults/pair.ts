import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded.ts';
import { holderOf } from '../postgres/holder.ts';
import { dataOf } from '../postgres/home.ts';
import { until } from '../waiting/until.ts';
import { onDatabase } from './audit.ts';
import { openRelay, type Relay } from './relay.ts';

const ATTACH_PATIENCE_MS = 30_000;
const LOOK_MS = 10;

/**
 * A primary and its synchronous standby, behind a relay that plays the part of a balancer. No
 * commit is acknowledged before the standby has it on its disk.
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
   * Makes the standby lag. It still writes to its disk, but shows no new data until it is promoted.
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
   * Makes a planned switchover. The primary stops in order, and returns as the standby of the
   * other.
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
 * Resolves when a standby is attached. From then on, commits are acknowledged only if the standby
 * has them.
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
      throw new Error('the standby has not attached in time');
  });

/** Sends SIGKILL, as if the server's machine were lost. */
export async function kill(server: Pick<EmbeddedPostgres, 'home' | 'failed'>) {
  const holder = holderOf(dataOf(server.home));
  if (holder.kind !== 'rowlock') throw new Error('there is no server to kill');
  process.kill(holder.pid, 'SIGKILL');
  await server.failed;
}
