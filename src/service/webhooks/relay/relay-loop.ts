import type { Database } from '../../../platform/db/client.ts';
import { describe } from '../../../platform/process/errors.ts';
import type { Log } from '../../../platform/process/log.ts';
import { type Backoff, pause, pauseAfter } from '../../../platform/waiting/backoff.ts';
import { Bell } from '../../../platform/waiting/bell.ts';
import { restAfter } from '../../../platform/waiting/rest.ts';
import { LARGEST_RELAY, relayEvents } from './relay.ts';

export interface RelayOptions {
  db: Database;
  /** An idle relay waits for this poller. */
  poller: { next(): Promise<{ hasEvent: boolean }> };
  log: Log;
  /** Called when the relay has made tasks due. */
  onDueTask: () => void;
}

export interface Relay {
  /** Makes the relay check for events soon. Call this after each commit of this process. */
  ring(): void;
  /** Waits for the running transaction, and begins no new transaction. */
  stop(): Promise<void>;
}

/**
 * The minimum pause between two checks. Because of this pause, the events of several commits share
 * a transaction of the relay.
 */
const PACE_MS = 50;
/**
 * The time between two checks of a busy relay. The relay must check, because other processes cannot
 * call `ring`.
 */
const POLL_BUSY_MS = 100;
/** How long the relay counts as busy after it has found an event. */
const BUSY_FOR_MS = 5_000;
const BACKOFF: Backoff = { shortestMs: 100, longestMs: 2_000, jitter: 0.5 };

/** Relays events again and again, until `stop` is called. */
export function startRelay({ db, poller, log, onDueTask }: RelayOptions): Relay {
  const bell = new Bell();
  const stop = new AbortController();
  let isRung = false;
  const ring = () => {
    isRung = true;
    bell.ring();
  };
  const setAside = (eventId: bigint, error: unknown) =>
    log.error({
      event: 'an event cannot be relayed yet',
      eventId: String(eventId),
      error: describe(error),
    });

  /** If the question fails, only a check shows whether the relay can read events. */
  const isEventLikely = () =>
    poller.next().then(
      ({ hasEvent }) => hasEvent,
      () => true,
    );

  const untilEventIsLikely = async (isBusy: boolean) => {
    if (isRung) return;
    if (isBusy) await bell.rings(POLL_BUSY_MS);
    else await bell.ringsOr(isEventLikely);
  };

  const run = async () => {
    let foundAt = Number.NEGATIVE_INFINITY;
    for (let failures = 0; !stop.signal.aborted; ) {
      isRung = false;
      const began = performance.now();
      try {
        const taken = await relayEvents(db, setAside);
        failures = 0;
        if (taken > 0) {
          foundAt = performance.now();
          onDueTask();
        }
        await pause(Math.max(PACE_MS, restAfter(performance.now() - began)), stop.signal);
        const isBusy = performance.now() - foundAt < BUSY_FOR_MS;
        if (taken < LARGEST_RELAY && !stop.signal.aborted) await untilEventIsLikely(isBusy);
      } catch (error) {
        // We log one line for each outage. After a stop, errors are expected.
        if (failures === 0 && !stop.signal.aborted)
          log.error({ event: 'relaying failed', error: describe(error) });
        await pause(pauseAfter(failures++, BACKOFF), stop.signal);
      }
    }
  };
  const running = run();
  return {
    ring,
    async stop() {
      stop.abort();
      ring();
      await running;
    },
  };
}
