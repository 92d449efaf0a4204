import { pause } from '../../../src/platform/waiting/backoff.ts';
import { percentiles } from '../load/percentiles.ts';
import {
  now,
  type OpenTool,
  type Payload,
  type PickUp,
  type Stream,
  type Tool,
  type ToolOrder,
  type ToolReport,
} from './tool.ts';

/**
 * The time for which a stream of the kind `some` collects tasks. Then the stream adds these tasks
 * together.
 */
const GATHERED_MS = 10;

/** One tool in one process. The station obeys orders, and counts the tasks. */
export class Station {
  readonly #tool: Tool;
  #opened: OpenTool | undefined;
  #added = 0;
  #isAdding = false;
  #begun = 0;
  #firstAt: number | undefined;
  /** The time from the making of each task to its beginning. `measure` empties this list. */
  #pickUpMs: number[] = [];

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  async obey(order: ToolOrder): Promise<ToolReport> {
    await this.#carryOut(order);
    return {
      added: this.#added,
      isAdding: this.#isAdding,
      begun: this.#begun,
      firstAt: this.#firstAt,
      ...(order.kind === 'measure' && { pickUp: this.#measure() }),
    };
  }

  async #carryOut(order: ToolOrder) {
    switch (order.kind) {
      case 'prepare':
        return this.#tool.prepare(order.url);
      case 'open':
        this.#added = this.#begun = 0;
        this.#firstAt = undefined;
        this.#pickUpMs = [];
        this.#opened = await this.#tool.open(order.url);
        return;
      case 'add':
        return this.#add(order.tasks, order.hangs);
      case 'stream':
        // Nothing waits for the stream. An error in the stream ends the process, and prints the
        // stack of the error on stderr.
        void this.#stream(order);
        return;
      case 'work':
        return this.#open.work((payload) => this.#run(payload));
      case 'close':
        await this.#opened?.close();
        this.#opened = undefined;
        return;
    }
  }

  get #open(): OpenTool {
    if (!this.#opened) throw new Error('the tool is not open');
    return this.#opened;
  }

  /** Returns the percentiles of the pick-up times since the last call. */
  #measure(): PickUp {
    return percentiles(this.#pickUpMs.splice(0));
  }

  async #add(tasks: number, hangs = false) {
    await this.#open.add(Array.from({ length: tasks }, () => ({ madeAt: now(), hangs })));
    this.#added += tasks;
  }

  async #stream({ perSecond, seconds, each }: Stream) {
    this.#isAdding = true;
    const addedBefore = this.#added;
    const begin = now();
    const end = begin + seconds * 1000;
    while (now() < end) {
      const due = Math.round(((now() - begin) / 1000) * perSecond) - this.#added + addedBefore;
      if (each === 'one') await this.#add(1);
      else if (due > 0) await this.#add(due);
      // With random pauses, tasks come at every moment between two polls. With regular pauses,
      // tasks might always come just before a poll.
      await pause(each === 'one' ? (2 * Math.random() * 1000) / perSecond : GATHERED_MS);
    }
    this.#isAdding = false;
  }

  async #run({ madeAt, hangs }: Payload): Promise<void> {
    this.#begun++;
    this.#firstAt ??= now();
    this.#pickUpMs.push(now() - madeAt);
    if (hangs) await new Promise(() => undefined);
  }
}
