import { Copy, type ProgramAnswer, type ProgramRequest } from './copy.ts';

export interface FleetOrder {
  /** The name for people. */
  name: string;
  command: string;
  /** The addresses of the database, one for each copy. */
  urls: readonly string[];
}

/** Copies of one program. Each copy is a separate process. The copies share only the database. */
export class Fleet {
  readonly #order: FleetOrder;
  readonly #stop: AbortSignal;
  readonly #copies: Copy[] = [];

  private constructor(order: FleetOrder, stop: AbortSignal) {
    this.#order = order;
    this.#stop = stop;
  }

  /** Starts the copies. They end when `stop` is aborted or `end` is called. */
  static async start(order: FleetOrder, stop: AbortSignal): Promise<Fleet> {
    const fleet = new Fleet(order, stop);
    stop.addEventListener('abort', fleet.end);
    try {
      // We start one copy after the other. The first copy compiles the program, so the other copies
      // need not compile it.
      for (const index of order.urls.keys()) fleet.#copies[index] = await fleet.#start(index);
      return fleet;
    } catch (error) {
      await fleet.end();
      throw error;
    }
  }

  /** Runs the work with copies of a program. Ends the copies in any case. */
  static async with<T>(
    order: FleetOrder,
    stop: AbortSignal,
    work: (fleet: Fleet) => Promise<T>,
  ): Promise<T> {
    const fleet = await Fleet.start(order, stop);
    try {
      return await work(fleet);
    } finally {
      await fleet.end();
    }
  }

  /**
   * Sends a session's request to its copy. The first session has the number 1. If there are more
   * sessions than copies, sessions share a copy.
   */
  ask(session: number, request: ProgramRequest): Promise<ProgramAnswer> {
    return this.#of(session).ask(request);
  }

  /**
   * Replaces the copies that have died, or that still work for a schedule that has been stopped.
   */
  async makeReady() {
    for (const [index, copy] of this.#copies.entries()) {
      if (copy.isIdle) continue;
      await copy.end();
      this.#copies[index] = await this.#start(index);
    }
  }

  #start(index: number): Promise<Copy> {
    const { name, command, urls } = this.#order;
    const databaseUrl = urls[index] ?? '';
    return Copy.start({ name, command, databaseUrl }, this.#stop);
  }

  #of(session: number): Copy {
    const copy = this.#copies[(session - 1) % this.#copies.length];
    if (!copy) throw new Error('the fleet has no copy');
    return copy;
  }

  readonly end = async () => {
    this.#stop.removeEventListener('abort', this.end);
    await Promise.all(this.#copies.map((copy) => copy.end()));
  };
}
