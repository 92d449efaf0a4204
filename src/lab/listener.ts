import { Bell } from '../platform/waiting/bell.ts';
import { event, HEARTBEAT, type StreamSource } from '../service/http/event-stream.ts';

/** A client that follows work of the lab by server-sent events. */
export class Listener implements StreamSource {
  readonly heartbeatMs = 15_000;
  readonly #bell = new Bell();
  readonly #leaving = new AbortController();
  #news: { name: string; event: Uint8Array }[] = [];
  #isEnding = false;

  get left(): AbortSignal {
    return this.#leaving.signal;
  }

  leave() {
    this.#leaving.abort();
    this.#bell.ring();
  }

  /** Sends this news. Drops older news of the same name if it is not sent yet. */
  tellLatest(name: string, data: unknown) {
    this.#news = this.#news.filter((each) => each.name !== name);
    this.tell(name, data);
  }

  tell(name: string, data: unknown) {
    this.#news.push({ name, event: event(name, data) });
    this.#bell.ring();
  }

  /** Ends the stream after all waiting news is sent. */
  end() {
    this.#isEnding = true;
    this.#bell.ring();
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    while (!this.left.aborted) {
      const next = this.#news.shift();
      if (next) yield next.event;
      else if (this.#isEnding) this.#leaving.abort();
      else if (!(await this.#bell.rings(this.heartbeatMs))) yield HEARTBEAT;
    }
  }
}
