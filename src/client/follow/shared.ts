import { pause } from '../../platform/waiting/backoff.ts';
import { eitherSignal } from '../../platform/waiting/either-signal.ts';
import { newKey } from '../call.ts';
import type { ServerEvent } from '../events.ts';
import { isOffline, onNetworkChange } from '../network.ts';
import type { Locks } from './locks.ts';
import type { FollowStatus, Listener } from './stream.ts';

/**
 * A tab that gets no message from the leader for this long becomes the leader itself. The time is
 * longer than a minute, because browsers run the timers of hidden tabs only once a minute.
 */
const LEADER_SILENCE_MS = 90_000;
/**
 * The time between two messages with which the leader shows that it is alive. The other tabs check
 * the leader at the same interval.
 */
const ALIVE_MS = 15_000;

/** The pause before a tab asks for the lock again. */
const RETRY_MS = 1_000;

/** A message between the tabs that follow the same jobs. */
type Message =
  | { kind: 'alive' }
  /** A new tab asks for the full state. */
  | { kind: 'hello'; from: string }
  /**
   * `to` is the tab that has asked for the full state, and `status` is the status of the leader.
   * Without `to`, the events are for all tabs, and the stream of the leader is live.
   */
  | { kind: 'events'; events: ServerEvent[]; to?: string; status?: FollowStatus }
  | { kind: 'status'; status: FollowStatus };

export interface SharedDeps {
  locks: Locks;
  /** Tabs with the same topic share a stream. */
  topic: string;
  /** Reads the stream, until the signal is aborted or the stream is refused for good. */
  keep(listener: Listener, signal: AbortSignal): Promise<void>;
  /** Returns the full state as events, or undefined before the full state has come. */
  fullState(): ServerEvent[] | undefined;
  listener: Listener;
  /** Aborted when this tab stops following. */
  signal: AbortSignal;
}

/**
 * Shares one stream between all tabs of a browser. The tab with the lock of the topic is the
 * leader. The leader reads the stream, and passes all events on to the other tabs. When the leader
 * is closed, the browser gives the lock to the next tab.
 */
export class SharedStream {
  readonly #deps: SharedDeps;
  readonly #channel: InstanceType<typeof BroadcastChannel>;
  #isLeader = false;
  #isRefused = false;
  /** The status of the stream that this tab reads as the leader. */
  #status: FollowStatus = 'connecting';
  /** Whether this tab has seen the beginning of a full state. */
  #hasBegun = false;
  #heardAt = Date.now();
  /** The name of this tab. */
  readonly #name = newKey();

  constructor(deps: SharedDeps) {
    this.#deps = deps;
    this.#channel = new BroadcastChannel(deps.topic);
    this.#channel.onmessage = ({ data }: { data: Message }) => this.#hear(data);
  }

  async run() {
    const { signal } = this.#deps;
    onNetworkChange(() => this.#checkNetwork(), signal);
    this.#say({ kind: 'hello', from: this.#name });
    while (!signal.aborted && !this.#isRefused) {
      const turn = new AbortController();
      const either = eitherSignal(signal, turn);
      const led = this.#hold({ signal: either }).then(() => false);
      const isFrozen = await Promise.race([led, this.#whenLeaderIsFrozen(either)]);
      turn.abort();
      // A frozen leader keeps its lock, so this tab takes the lock away.
      if (isFrozen && !signal.aborted) await this.#hold({ steal: true });
      this.#heardAt = Date.now();
      // This tab comes here if another tab took the lock away, or if the browser refuses locks.
      if (!this.#isRefused) await pause(RETRY_MS, signal);
    }
    this.#channel.close();
  }

  /**
   * Reads the stream while this tab holds the lock. Ends if the signal is aborted, or if another
   * tab takes the lock away.
   */
  async #hold(options: Parameters<Locks['request']>[1]) {
    const { locks, topic, signal } = this.#deps;
    const leading = new AbortController();
    const either = eitherSignal(signal, leading);
    await locks.request(topic, options, () => this.#lead(either)).catch(() => undefined);
    leading.abort();
  }

  async #lead(signal: AbortSignal) {
    const { keep, listener } = this.#deps;
    const alive = setInterval(() => this.#say({ kind: 'alive' }), ALIVE_MS);
    this.#isLeader = true;
    this.#status = 'connecting';
    this.#hasBegun = true;
    const asLeader: Listener = {
      onEvent: (event) => {
        if (signal.aborted) return;
        listener.onEvent(event);
        this.#say({ kind: 'events', events: [event] });
      },
      onStatus: (status, problem) => {
        if (signal.aborted) return;
        listener.onStatus(status, problem);
        this.#status = status;
        this.#isRefused = status === 'refused';
        // Another tab may have a better token, so a refusal concerns this tab only. The event `end`
        // tells the other tabs that the stream is live.
        if (status !== 'refused' && status !== 'live') this.#say({ kind: 'status', status });
      },
    };
    await keep(asLeader, signal);
    clearInterval(alive);
    this.#isLeader = false;
  }

  async #whenLeaderIsFrozen(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      await pause(ALIVE_MS, signal);
      if (!this.#isLeader && Date.now() - this.#heardAt > LEADER_SILENCE_MS) return true;
    }
    return false;
  }

  /**
   * Checks the network. A frozen leader does not report that the browser is offline, so this tab
   * reports `offline` itself. A living leader may still reach a service on its own machine, so this
   * tab then asks the leader.
   */
  #checkNetwork() {
    if (this.#isLeader || this.#isRefused || !isOffline()) return;
    this.#deps.listener.onStatus('offline');
    this.#say({ kind: 'hello', from: this.#name });
  }

  #hear(message: Message) {
    const { signal, listener, fullState } = this.#deps;
    if (signal.aborted) return;
    if (message.kind === 'hello') {
      const events = this.#isLeader ? fullState() : undefined;
      if (events) this.#say({ kind: 'events', events, to: message.from, status: this.#status });
      return;
    }
    // After a change of the leader, a message of the old leader may come late.
    if (this.#isLeader) return;
    this.#heardAt = Date.now();
    if (message.kind === 'status') listener.onStatus(message.status);
    if (message.kind === 'events' && (message.to ?? this.#name) === this.#name)
      for (const event of message.events) this.#take(event, message.status);
  }

  #take(event: ServerEvent, status: FollowStatus = 'live') {
    const { listener } = this.#deps;
    this.#hasBegun ||= event.name === 'begin';
    if (this.#hasBegun) {
      listener.onEvent(event);
      if (event.name === 'end') listener.onStatus(status);
    } else if (event.name === 'end') {
      // This tab was opened in the middle of the full state, so it asks for the whole state.
      this.#say({ kind: 'hello', from: this.#name });
    }
  }

  #say(message: Message) {
    if (!this.#deps.signal.aborted) this.#channel.postMessage(message);
  }
}
