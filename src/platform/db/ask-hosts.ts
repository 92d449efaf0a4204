import postgres from 'postgres';
import { pause } from '../waiting/backoff.ts';
import { inTime } from '../waiting/deadline.ts';
import { clientOver } from './driver.ts';
import { failure } from './failure.ts';
import { databaseError, mayPass } from './sqlstate.ts';

/** The maximum time in which a host must tell whether it is the primary. */
const ASK_MS = 1_000;
/** The time in which the other hosts may still answer after a primary has answered. */
const OTHERS_MS = 50;
/** If a primary does not answer within this time, its machine may be frozen. */
const SILENCE_MS = 500;

/**
 * Selects the timeline of a primary, or null on a standby. Each promotion begins a new timeline.
 * All these texts have eight digits, so the texts sort like the numbers.
 */
const TIMELINE = `select case when pg_is_in_recovery() then null
  else left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end as timeline`;

/** The answer of a host: its timeline, null for a standby, or an error. */
export interface HostAnswer {
  host: string;
  timeline?: string | null;
  error?: unknown;
}

/** The facts that a process knows about its hosts. */
export interface Known {
  hosts: string[];
  /** The primary as far as we know. Undefined if we know no primary. */
  primary: string | undefined;
  /** The newest timeline that a host has reported. */
  timeline: string;
}

/**
 * Returns the host to use. Among several primaries, the newest timeline wins. A primary with a
 * timeline older than the newest known timeline is a former primary, even if no other host answers.
 * If timelines are equal, the known primary wins, or otherwise the first host of the address.
 */
export function choose(
  told: HostAnswer[],
  { hosts, primary, timeline }: Known,
): HostAnswer | undefined {
  const order = primary === undefined ? hosts : [primary, ...hosts];
  return told
    .filter((each) => (each.timeline ?? '') >= timeline && each.timeline)
    .sort((one, other) => order.indexOf(one.host) - order.indexOf(other.host))
    .sort((one, other) => (other.timeline ?? '').localeCompare(one.timeline ?? ''))[0];
}

export const asking = (host: string, onclose?: () => void) =>
  clientOver(host, {
    onclose,
    prepare: false,
    connection: { application_name: 'rowlock watch' },
  });

async function timelineOf(client: postgres.Sql): Promise<string | null> {
  const [row] = await client.unsafe<{ timeline: string | null }[]>(TIMELINE);
  return row?.timeline ?? null;
}

export const tellsTimeline = (client: postgres.Sql): Promise<boolean> =>
  inTime(
    timelineOf(client).then((timeline) => timeline !== null),
    SILENCE_MS,
    () => false,
  ).catch(() => false);

/**
 * Asks all hosts at the same time. After a primary has answered, waits only a short time for the
 * other hosts.
 */
export async function askAll(known: Known): Promise<HostAnswer[]> {
  const told: HostAnswer[] = [];
  let someIsPrimary: () => void = () => undefined;
  const primary = new Promise<void>((resolve) => {
    someIsPrimary = resolve;
  });
  const all = Promise.all(
    known.hosts.map(async (host) => {
      const answer = await ask(host);
      told.push(answer);
      if (choose([answer], known)) someIsPrimary();
    }),
  );
  await Promise.race([all, primary.then(() => pause(OTHERS_MS))]);
  return told;
}

export async function ask(host: string): Promise<HostAnswer> {
  const client = asking(host);
  try {
    const late = () => Promise.reject(failure('CONNECT_TIMEOUT', 'does not answer'));
    return { host, timeline: await inTime(timelineOf(client), ASK_MS, late) };
  } catch (error) {
    return { host, error };
  } finally {
    void client.end({ timeout: 0 });
  }
}

/**
 * Returns whether the host would refuse us again, for example because the account, the name or the
 * certificate is wrong.
 */
export const isRefusal = (error: unknown): boolean => error !== undefined && !mayPass(error);

export function say({ timeline, error }: HostAnswer): string {
  if (timeline) return 'is a former primary';
  if (error === undefined) return 'is a standby';
  if (error instanceof postgres.PostgresError) return `answers "${error.message}"`;
  return `fails with ${databaseError(error)?.code ?? 'an error'}`;
}
