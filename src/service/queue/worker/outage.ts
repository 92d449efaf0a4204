import { describe } from '../../process/errors.ts';
import { type Log, seldom } from '../../process/log.ts';

/** Logs each outage of the database once, and not each error of an outage. */
export class Outage {
  readonly #log: Log;
  readonly #worker: string;
  readonly #logSeldom: Log['error'];
  #isOn = false;

  constructor(log: Log, worker: string) {
    this.#log = log;
    this.#worker = worker;
    this.#logSeldom = seldom(log);
  }

  note = (error: unknown) => {
    if (this.#isOn) return;
    this.#isOn = true;
    const event = 'the worker cannot use the database';
    this.#log.error({ event, worker: this.#worker, error: describe(error) });
  };

  over() {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#log.info({ event: 'the worker can use the database again', worker: this.#worker });
  }

  /** The database refused one outcome. Other outcomes may be fine, so this is no outage. */
  noteRefusal(task: string, error: unknown) {
    const event = 'an outcome could not be written';
    this.#logSeldom({ event, worker: this.#worker, task, error: describe(error) });
  }
}
