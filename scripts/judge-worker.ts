/** Judges one strategy, in a process that the judge can end. */

import { Divergence } from '../src/lab/explore/forks.ts';
import { Stage } from '../src/lab/explore/stage.ts';
import { Hang } from '../src/lab/explore/stillness.ts';
import { judge } from '../src/lab/judge/judge.ts';
import { loadStrategy } from '../src/lab/judge/load-strategy.ts';
import { describe, PlainError } from '../src/process/errors.ts';
import { chooseChapter } from './chosen.ts';
import type { Task, WorkerReport } from './judge.ts';

process.once('message', (task: Task) => {
  work(task)
    .then((judgement) => report({ kind: 'judgement', judgement }))
    .catch((error: unknown) => report({ kind: 'unusable', message: explain(task.file, error) }));
});
process.once('disconnect', () => process.exit());
// The strategy ignores a promise, and this promise has failed.
process.on('unhandledRejection', () => {
  const check = 'no error goes unhandled';
  const detail = 'a promise failed that nobody had awaited';
  const fallen = { check, detail, fault: 'error', holds: false, counterexample: null };
  report({ kind: 'judgement', judgement: { strategy: 'it', verdict: 'falls', checks: [fallen] } });
});

async function work({ chapter, file, url }: Task) {
  const judged = await loadStrategy(chooseChapter(chapter), file);
  const stage = new Stage(url);
  return judge(stage, judged, (where) => process.send?.({ kind: 'step', where }));
}

function explain(file: string, error: unknown): string {
  if (error instanceof PlainError) return error.message;
  if (error instanceof Hang) return `${file} hangs: ${error.message}.`;
  if (error instanceof Divergence)
    return (
      `${file} runs differently when it is played again, so it cannot be judged. If it keeps ` +
      `something in memory, it needs restart(), see docs/explorer.md. ${error.message}`
    );
  return `${file} cannot be judged: ${describe(error)}`;
}

/** The process ends once this message is delivered, even if the strategy still runs. */
function report(message: WorkerReport) {
  process.send?.(message, undefined, undefined, () => process.exit());
}
