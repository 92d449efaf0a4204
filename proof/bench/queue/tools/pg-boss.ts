import type { OpenTool, Payload, Run, Tool } from '../tool.ts';

/** The parts of pg-boss that the bench uses. The project does not depend on the package. */
export interface PgBossLibrary {
  PgBoss: new (options: object) => PgBoss;
}

interface PgBoss {
  on(event: 'error', handle: (error: Error) => void): unknown;
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: Payload): Promise<unknown>;
  insert(name: string, jobs: { data: Payload }[]): Promise<unknown>;
  work(
    name: string,
    options: object,
    handle: (jobs: { id: string; data: Payload }[]) => Promise<object[]>,
  ): Promise<string>;
}

const QUEUE = 'nothing';

/**
 * With these settings, pg-boss notices a dead worker soonest. 10 s is the shortest heartbeat that
 * pg-boss accepts. The monitor checks for missing heartbeats each second.
 */
const HEARTBEAT = { heartbeatSeconds: 10 };
const MONITOR = { monitorIntervalSeconds: 1, superviseIntervalSeconds: 1 };

/**
 * pg-boss's documentation names these settings for speed. A worker takes batches. After a full
 * batch, the worker takes the next batch immediately. The documentation names no sizes.
 * https://pgboss.io/api/workers
 */
const FASTEST = { batchSize: 500, localConcurrency: 2, burstWhenBatchFull: true };

/** No NOTIFY comes for a task of a dead worker. So a living worker also polls for tasks. */
const POLL = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 };

export const pgBoss = ({ PgBoss }: PgBossLibrary): Tool => {
  const start = async (url: string) => {
    const boss = new PgBoss({ connectionString: url, useListenNotify: true, ...MONITOR });
    boss.on('error', (error) => {
      throw error;
    });
    await boss.start();
    return boss;
  };
  const stop = (boss: PgBoss) => boss.stop({ graceful: true });
  return {
    async prepare(url) {
      const boss = await start(url);
      await boss.createQueue(QUEUE, { notify: true, ...HEARTBEAT });
      await stop(boss);
    },
    async open(url): Promise<OpenTool> {
      const boss = await start(url);
      return {
        async add(payloads) {
          const [first] = payloads;
          if (first && payloads.length === 1) await boss.send(QUEUE, first);
          else
            await boss.insert(
              QUEUE,
              payloads.map((data) => ({ data })),
            );
        },
        async work(run: Run) {
          // With `perJobResults`, each task has a separate acknowledgement.
          await boss.work(QUEUE, { ...FASTEST, ...POLL, perJobResults: true }, async (jobs) => {
            await Promise.all(jobs.map(({ data }) => run(data)));
            return jobs.map(({ id }) => ({ id, status: 'completed' }));
          });
        },
        close: () => stop(boss),
      };
    },
  };
};
