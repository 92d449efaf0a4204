import { connect } from '../../../../src/platform/db/client.ts';
import { prepareDatabase } from '../../../../src/service/database/migrate.ts';
import { Poller } from '../../../../src/service/operation/poller.ts';
import { enqueue, type NewTask } from '../../../../src/service/queue/enqueue.ts';
import type { TaskKind } from '../../../../src/service/queue/kind.ts';
import { SESSIONS_OF_WORKER } from '../../../../src/service/queue/sessions.ts';
import { startWorker, type Worker } from '../../../../src/service/queue/worker/worker.ts';
import type { OpenTool, Payload, Run, Tool } from '../tool.ts';

const KIND = 'nothing';
const ATTEMPTS = 3;
const TIMEOUT_MS = 60_000;
const STOP_MS = 5_000;

/** The worker slots. One lane may use all slots, because the other queues have no lanes. */
const PLACES = { places: 500, perLane: 500 };

/** Throws each logged error, because a failure makes the figures meaningless. */
const log = {
  debug: () => undefined,
  info: () => undefined,
  error({ event, error }: { event: string; error?: unknown }) {
    throw new Error(`${event}: ${error}`);
  },
};

const kindOf = (run: Run): TaskKind<Payload> => ({
  name: KIND,
  timeoutMs: TIMEOUT_MS,
  pauseMs: () => 0,
  async run({ payload }) {
    await run(payload);
    return { kind: 'done' };
  },
});

const taskOf = (payload: Payload): NewTask => ({ kind: KIND, payload, attempts: ATTEMPTS });

/** Our queue, with fencing and history, as in the service. */
export const rowlock: Tool = {
  prepare: (url) => prepareDatabase(url),
  async open(url): Promise<OpenTool> {
    const { db, close } = connect(url, { settings: SESSIONS_OF_WORKER });
    let worker: Worker | undefined;
    return {
      async add(payloads) {
        await enqueue(db, payloads.map(taskOf));
        worker?.wake();
      },
      async work(run) {
        worker = await startWorker({
          db,
          poller: new Poller(db),
          kinds: [kindOf(run)],
          ...PLACES,
          version: 'bench',
          log,
        });
      },
      async close() {
        await worker?.stop(STOP_MS);
        await close();
      },
    };
  },
};
