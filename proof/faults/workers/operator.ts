import type postgres from 'postgres';
import { pause } from '../../../src/platform/waiting/backoff.ts';
import { again } from '../again.ts';
import { send } from '../ask.ts';
import type { Stage } from '../scenario.ts';
import { count, hurry, type Tally } from './queries.ts';

const EVERY_MS = 200;

/** Acts like a person who watches the queue, makes failed tasks due now, and retries dead tasks. */
export class Operator {
  tally: Tally = { made: 0, finished: 0 };
  /** The load rests while at least this many tasks exist. */
  limit = 0;
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Returns whether more tasks are wanted. */
  isBehind(): boolean {
    return this.tally.made < this.limit;
  }

  work(over: AbortSignal) {
    const { databaseUrl, load } = this.#stage;
    return again(databaseUrl, over, async (sql) => {
      this.tally = await count(sql);
      if (this.isBehind()) load.goOn();
      else load.rest();
      await hurry(sql);
      await this.#retryDead(sql);
      await pause(EVERY_MS, over);
    });
  }

  async #retryDead(sql: postgres.Sql) {
    const [server] = this.#stage.servers;
    const dead = await sql<{ id: string }[]>`SELECT id::text FROM tasks WHERE ended = 'dead'`;
    for (const { id } of dead)
      await send(server?.url ?? '', { path: `/tasks/${id}/retry`, method: 'POST' });
  }
}
