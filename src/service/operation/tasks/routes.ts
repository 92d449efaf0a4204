import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { type Problem, problemResponses } from '../../http/problem.ts';
import { onEveryRoute } from '../../http/problems.ts';
import {
  idAnswer,
  idPath,
  instantAnswer,
  json,
  line,
  nextCursor,
  pageQuery,
  parameters,
} from '../../http/schemas.ts';
import { keyHeader, onWriting } from '../../idempotency/problems.ts';
import { taskStatuses } from '../../queue/queries.ts';
import { attemptEnds } from '../../queue/tables.ts';

export const taskNotFound = {
  status: 404,
  code: 'task-not-found',
  title: 'Task not found',
  detail: 'There is no task with this id. Finished tasks are removed after some time.',
} as const satisfies Problem;

export const taskRunning = {
  status: 409,
  code: 'task-running',
  title: 'Task is running',
  detail: 'A worker runs this task now. Nothing was changed.',
} as const satisfies Problem;

export const taskFinished = {
  status: 409,
  code: 'task-finished',
  title: 'Task has finished',
  detail: 'This task has finished. Nothing was changed.',
} as const satisfies Problem;

/** The longest name of a kind that a search accepts. */
const LONGEST_KIND = 100;

const instantOrNull = (description: string) => instantAnswer.nullable().meta({ description });

const error = z
  .string()
  .nullable()
  .meta({ description: 'Null if there is no error.', example: 'the receiver answered 500' });

const taskAnswer = z
  .object({
    id: idAnswer,
    kind: z.string().meta({ description: 'What the task does.', example: 'webhook' }),
    lane: z.string().meta({
      description: 'Workers take tasks from the lanes in turn.',
      example: '7',
    }),
    status: z.enum(taskStatuses).meta({
      description:
        '`waiting`: no worker holds the task. `running`: a worker holds the task. `dead`: the last ' +
        'attempt failed or was lost.',
      example: 'waiting',
    }),
    createdAt: instantAnswer,
    runAt: instantAnswer.meta({ description: 'The task is due from this time on.' }),
    attempt: z.int().min(0).meta({ description: 'How many attempts have begun.', example: 1 }),
    attemptsLeft: z
      .int()
      .min(0)
      .meta({ description: 'How many further attempts are allowed.', example: 9 }),
    workerId: idAnswer.nullable().meta({ description: 'The worker of the latest attempt.' }),
    beganAt: instantOrNull('The beginning of the latest attempt.'),
    leaseUntil: instantOrNull('The end of the lease. Null if no worker holds the task.'),
    finishedAt: instantOrNull('Null until the task has finished.'),
    error: error.meta({ description: 'The error of the latest attempt that failed.' }),
  })
  .meta({ id: 'Task' });

const attemptAnswer = z
  .object({
    number: z.int().min(1).meta({ example: 1 }),
    workerId: idAnswer,
    workerName: z
      .string()
      .nullable()
      .meta({ description: 'Null if the worker was removed from the list.', example: 'web-1' }),
    beganAt: instantAnswer,
    endedAt: instantOrNull('Null while the attempt runs.'),
    ended: z.enum(['running', 'done', ...attemptEnds]).meta({
      description:
        'How the attempt ended. `lost`: its worker did not renew the lease in time. `given back`: ' +
        'its worker stopped.',
      example: 'failed',
    }),
    error,
  })
  .meta({ id: 'TaskAttempt' });

const taskWithAttempts = taskAnswer
  .extend({
    payload: z.unknown().meta({ description: 'The data that the kind of task needs.' }),
    attempts: z
      .array(attemptAnswer)
      .meta({ description: 'The latest attempts in their order: at most 100 that have ended.' }),
  })
  .meta({ id: 'TaskWithAttempts' });

const workerAnswer = z
  .object({
    id: idAnswer,
    name: z.string().meta({ example: 'web-1' }),
    version: z.string().meta({ example: '0.1.0' }),
    kinds: z
      .array(z.string())
      .meta({ description: 'The kinds of tasks that the worker knows.', example: ['webhook'] }),
    status: z.enum(['living', 'lost', 'stopped']).meta({
      description: '`lost`: the heartbeats have ended, but the worker is not marked as stopped.',
      example: 'living',
    }),
    startedAt: instantAnswer,
    seenAt: instantAnswer.meta({ description: 'The time of the latest heartbeat.' }),
    stoppedAt: instantOrNull('Null unless the worker has stopped.'),
    places: z
      .int()
      .min(0)
      .meta({ description: 'How many tasks the worker may run at the same time.', example: 4 }),
    holds: z
      .array(idAnswer)
      .meta({ description: 'The tasks that the worker held at its latest heartbeat.' }),
  })
  .meta({ id: 'Worker' });

export const listTasks = createRoute({
  operationId: 'listTasks',
  method: 'get',
  path: '/tasks',
  tags: ['Tasks'],
  summary: 'List tasks',
  description:
    'A page with a `kind` may have fewer tasks than `limit` although another page follows.',
  request: {
    query: parameters({
      ...pageQuery.shape,
      status: z
        .enum(taskStatuses, `must be one of ${taskStatuses.join(', ')}`)
        .optional()
        .meta({ example: undefined }),
      kind: line(LONGEST_KIND, 'webhook')
        .optional()
        .meta({ description: 'Only tasks of this kind.', example: undefined }),
    }),
  },
  responses: {
    200: json(
      'Tasks in the order of their ids.',
      z.object({ tasks: z.array(taskAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute),
  },
});

export const readTask = createRoute({
  operationId: 'readTask',
  method: 'get',
  path: '/tasks/{id}',
  tags: ['Tasks'],
  summary: 'Read a task and its attempts',
  request: { params: idPath },
  responses: {
    200: json('The task.', taskWithAttempts),
    ...problemResponses(...onEveryRoute, taskNotFound),
  },
});

export const retryTask = createRoute({
  operationId: 'retryTask',
  method: 'post',
  path: '/tasks/{id}/retry',
  tags: ['Tasks'],
  summary: 'Run a task again',
  description:
    'A waiting, dead or cancelled task is due at once, and has at least one more attempt.',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: {
    200: json('The task, which is due now.', taskWithAttempts),
    ...problemResponses(...onEveryRoute, ...onWriting, taskNotFound, taskRunning, taskFinished),
  },
});

export const cancelTask = createRoute({
  operationId: 'cancelTask',
  method: 'post',
  path: '/tasks/{id}/cancel',
  tags: ['Tasks'],
  summary: 'Cancel a task',
  description:
    'The task finishes as `cancelled`. If an attempt runs, its worker learns of this within ' +
    'seconds. The attempt may already have had effects.',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: {
    200: json('The cancelled task.', taskWithAttempts),
    ...problemResponses(...onEveryRoute, ...onWriting, taskNotFound, taskFinished),
  },
});

export const listWorkers = createRoute({
  operationId: 'listWorkers',
  method: 'get',
  path: '/workers',
  tags: ['Tasks'],
  summary: 'List workers',
  description: 'Each start of a worker adds a worker to the list.',
  request: { query: parameters(pageQuery.shape) },
  responses: {
    200: json(
      'Workers. The newest worker comes first.',
      z.object({ workers: z.array(workerAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute),
  },
});
