import { event, HEARTBEAT } from '../live/events.ts';
import type { Told } from '../live/stream-http.ts';

/** One who listens to work of the lab, told by server-sent events. */
export class Listener implements Told {
  readonly heartbeatMs = 15_000;
  readonly #leaving = new AbortController();
  #news: { name: string; event: Uint8Array }[] = [];
  #isEnding = false;
  #wake = () => {};

  get left(): AbortSignal {
    return this.#leaving.signal;
  }

  leave() {
    this.#leaving.abort();
    this.#wake();
  }

  /** Of news of this name no more than one waits: the latest. */
  tellLatest(name: string, data: unknown) {
    this.#news = this.#news.filter((each) => each.name !== name);
    this.tell(name, data);
  }

  tell(name: string, data: unknown) {
    this.#news.push({ name, event: event(name, data) });
    this.#wake();
  }

  /** Nothing more comes; what waits is still told. */
  end() {
    this.#isEnding = true;
    this.#wake();
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    while (!this.left.aborted) {
      const next = this.#news.shift();
      if (next) yield next.event;
      else if (this.#isEnding) this.#leaving.abort();
      else if (!(await this.#awakened())) yield HEARTBEAT;
    }
  }

  /** Whether there was something to tell before the time was up. */
  #awakened(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.heartbeatMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
