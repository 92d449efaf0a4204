/**
 * Runs a worker like `npm run worker`, but with kinds of tasks for tests. Prints a line when an
 * attempt begins.
 */
import { existsSync } from 'node:fs';
import { runMain } from '../../src/platform/process/main.ts';
import { until } from '../../src/platform/waiting/until.ts';
import { runWorker } from '../../src/service/program/run-worker.ts';
import type { Attempt, TaskKind } from '../../src/service/queue/kind.ts';

const kindOf = <Payload>(name: string, run: TaskKind<Payload>['run']): TaskKind<Payload> => ({
  name,
  timeoutMs: 600_000,
  pauseMs: () => 0,
  run(attempt) {
    process.stdout.write(`attempt ${attempt.number} of task ${attempt.taskId} begins\n`);
    return run(attempt);
  },
});

/** A kind of task that ends when the file in the payload exists. */
const awaitsFile = kindOf('awaits-file', async ({ payload, signal }: Attempt<{ file: string }>) => {
  await until(() => existsSync(payload.file), { everyMs: 20, stop: signal });
  return { kind: 'done' };
});

/** A kind of task that blocks the event loop until the file in the payload exists. */
const blocks = kindOf('blocks', async ({ payload }: Attempt<{ file: string }>) => {
  while (!existsSync(payload.file));
  return { kind: 'done' };
});

runMain((stop) => runWorker(stop, [awaitsFile, blocks]));
