import { describe } from '../../../platform/process/errors.ts';
import { type Log, seldom } from '../../../platform/process/log.ts';

/** Logs the beginning and the end of each outage of the database, and not each error in between. */
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

  /** Whether the latest attempt to use the database failed. */
  get isOn(): boolean {
    return this.#isOn;
  }

  over() {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#log.info({ event: 'the worker can use the database again', worker: this.#worker });
  }

  /**
   * Logs that the database refused one outcome. This is no outage, because the database may accept
   * other outcomes.
   */
  noteRefusal(task: string, error: unknown) {
    const event = 'an outcome could not be written';
    this.#logSeldom({ event, worker: this.#worker, task, error: describe(error) });
  }
}
