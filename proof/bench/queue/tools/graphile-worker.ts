import type { OpenTool, Payload, Run, Tool } from '../tool.ts';

/** The parts of graphile-worker that the bench uses. The project does not depend on the package. */
export interface GraphileWorker {
  Logger: new (makeLog: () => () => void) => object;
  run(
    options: object,
    taskList: Record<string, (payload: Payload) => Promise<void>>,
  ): Promise<{ stop(): Promise<void> }>;
  runMigrations(options: object): Promise<void>;
  makeWorkerUtils(options: object): Promise<{
    addJob(name: string, payload: Payload): Promise<unknown>;
    addJobs(jobs: { identifier: string; payload: Payload }[]): Promise<unknown>;
    release(): Promise<void>;
  }>;
}

const TASK = 'nothing';

/**
 * graphile-worker's documentation reports the most jobs a second with these settings:
 * https://worker.graphile.org/docs/performance
 */
const FASTEST = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

export const graphileWorker = (library: GraphileWorker): Tool => {
  const logger = new library.Logger(() => () => undefined);
  const optionsFor = (connectionString: string) => ({
    noHandleSignals: true,
    preset: { worker: { connectionString, logger, ...FASTEST } },
  });
  return {
    prepare: (url) => library.runMigrations(optionsFor(url)),
    async open(url): Promise<OpenTool> {
      const utils = await library.makeWorkerUtils(optionsFor(url));
      let runner: { stop(): Promise<void> } | undefined;
      return {
        async add(payloads) {
          const [first] = payloads;
          if (first && payloads.length === 1) await utils.addJob(TASK, first);
          else await utils.addJobs(payloads.map((payload) => ({ identifier: TASK, payload })));
        },
        async work(run: Run) {
          runner = await library.run(optionsFor(url), { [TASK]: run });
        },
        async close() {
          await runner?.stop();
          await utils.release();
        },
      };
    },
  };
};
