import type { Database } from '../../../platform/db/client.ts';
import { newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { idBody, instantBody, paged } from '../../http/schemas.ts';
import type { Write } from '../../idempotency/http.ts';
import { cancelTask, retryTask } from '../../queue/intervene.ts';
import {
  findTask,
  listWorkers,
  type PastAttempt,
  type Task,
  type TaskWithAttempts,
  type WorkerRow,
} from '../../queue/queries.ts';
import { pageOfTasks } from './page.ts';
import * as routes from './routes.ts';

export interface TaskDeps {
  db: Database;
  write: Write;
  /** Called when a request has made a task due. */
  onDueTask: () => void;
}

/**
 * Makes the routes for admins. The routes show the tasks and the workers, and let a person retry or
 * cancel a task.
 */
export const taskRoutes = ({ db, write, onDueTask }: TaskDeps) =>
  newRoutes()
    .openapi(routes.listTasks, async (c) => {
      const { limit, cursor, ...filter } = c.req.valid('query');
      const { page, nextCursor } = await pageOfTasks(db, filter, { limit, cursor });
      return c.json({ tasks: page.map(taskBody), nextCursor }, 200);
    })
    .openapi(routes.readTask, async (c) => {
      const task = await findTask(db, c.req.valid('param').id);
      return task ? c.json(wholeBody(task), 200) : problem(routes.taskNotFound);
    })
    .openapi(routes.retryTask, async (c) => {
      const { id } = c.req.valid('param');
      const answer = await write(c, (within) =>
        within.transaction(async (tx) => {
          const { kind } = await retryTask(tx, id);
          const task = await findTask(tx, id);
          if (kind === 'no-such-task' || !task) return problem(routes.taskNotFound);
          if (kind !== 'retried') return problem(notRetried[kind]);
          return c.json(wholeBody(task), 200);
        }),
      );
      if (answer.ok) onDueTask();
      return answer;
    })
    .openapi(routes.cancelTask, async (c) => {
      const { id } = c.req.valid('param');
      return write(c, (within) =>
        within.transaction(async (tx) => {
          const { kind } = await cancelTask(tx, id);
          const task = await findTask(tx, id);
          if (kind === 'no-such-task' || !task) return problem(routes.taskNotFound);
          if (kind === 'finished') return problem(routes.taskFinished);
          return c.json(wholeBody(task), 200);
        }),
      );
    })
    .openapi(routes.listWorkers, async (c) => {
      const asked = c.req.valid('query');
      const rows = await listWorkers(db, { ...asked, limit: asked.limit + 1 });
      const { page, nextCursor } = paged(rows, asked);
      return c.json({ workers: page.map(workerBody), nextCursor }, 200);
    });

/** The problem for each status that forbids a retry. */
const notRetried = { running: routes.taskRunning, done: routes.taskFinished } as const;

const taskBody = ({ id, workerId, createdAt, runAt, ...task }: Task) => ({
  id: idBody(id),
  kind: task.kind,
  lane: task.lane,
  status: task.status,
  createdAt: createdAt.toISOString(),
  runAt: runAt.toISOString(),
  attempt: task.attempt,
  attemptsLeft: task.attemptsLeft,
  workerId: workerId === null ? null : idBody(workerId),
  beganAt: instantBody(task.beganAt),
  leaseUntil: instantBody(task.leaseUntil),
  finishedAt: instantBody(task.finishedAt),
  error: task.error,
});

const wholeBody = ({ payload, attempts, ...task }: TaskWithAttempts) => ({
  ...taskBody(task),
  payload,
  attempts: attempts.map(attemptBody),
});

const attemptBody = ({ attempt, workerId, beganAt, endedAt, ...rest }: PastAttempt) => ({
  number: attempt,
  workerId: idBody(workerId),
  workerName: rest.workerName,
  beganAt: beganAt.toISOString(),
  endedAt: instantBody(endedAt),
  ended: rest.ended,
  error: rest.error,
});

const workerBody = ({ id, startedAt, seenAt, stoppedAt, holds, ...worker }: WorkerRow) => ({
  id: idBody(id),
  name: worker.name,
  version: worker.version,
  kinds: worker.kinds,
  status: worker.status,
  startedAt: startedAt.toISOString(),
  seenAt: seenAt.toISOString(),
  stoppedAt: instantBody(stoppedAt),
  places: worker.places,
  holds: holds.map((held) => idBody(BigInt(held))),
});
