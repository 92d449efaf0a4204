import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { problemResponses } from '../http/problem.ts';
import { shuttingDown } from '../http/problems.ts';
import { json } from '../http/schemas.ts';
import {
  databaseReadOnly,
  databaseTooNew,
  databaseUnreachable,
  migrationsMissing,
  workerCannotRenew,
} from './readiness.ts';

export const healthz = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'isAlive',
  tags: ['Operation'],
  summary: 'Check whether the process is alive',
  responses: {
    200: json('The process is alive.', z.object({ status: z.literal('ok'), version: z.string() })),
  },
});

export const readyz = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'isReady',
  tags: ['Operation'],
  summary: 'Check whether the server is ready for requests',
  responses: {
    200: json(
      'The server is ready.',
      z.object({ status: z.literal('ready'), database: z.string().optional() }),
    ),
    ...problemResponses(
      databaseUnreachable,
      databaseReadOnly,
      databaseTooNew,
      migrationsMissing,
      workerCannotRenew,
      shuttingDown,
    ),
  },
});

export const metrics = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'readMetrics',
  tags: ['Operation'],
  summary: 'Read the metrics for Prometheus',
  responses: {
    200: {
      description: "Prometheus' text format.",
      content: { 'text/plain': { schema: z.string() } },
    },
  },
});
