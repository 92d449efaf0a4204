/** Judges one strategy, in a process that the judge can end. */

import { Divergence } from '../src/lab/explore/forks.ts';
import { Stage } from '../src/lab/explore/stage.ts';
import { Hang } from '../src/lab/explore/stillness.ts';
import { judge } from '../src/lab/judge/judge.ts';
import { loadStrategy } from '../src/lab/judge/load-strategy.ts';
import { describe, PlainError } from '../src/process/errors.ts';
import type { WorkerReport } from './judge.ts';

process.once('message', ({ file, url }: { file: string; url: string }) => {
  work(file, url)
    .then((judgement) => report({ kind: 'judgement', judgement }))
    .catch((error: unknown) => report({ kind: 'unusable', message: explain(file, error) }));
});
process.once('disconnect', () => process.exit());
// Of a statement that nobody awaits nobody hears that it failed.
process.on('unhandledRejection', () => {
  const check = 'no error goes unhandled';
  const detail = 'a promise failed that nobody had awaited';
  const fallen = { check, detail, fault: 'error', holds: false, counterexample: null };
  report({ kind: 'judgement', judgement: { strategy: 'it', verdict: 'falls', checks: [fallen] } });
});

async function work(file: string, url: string) {
  const strategy = await loadStrategy(file);
  const stage = new Stage(url);
  return judge(stage, strategy, (where) => process.send?.({ kind: 'step', where }));
}

function explain(file: string, error: unknown): string {
  if (error instanceof PlainError) return error.message;
  if (error instanceof Hang) return `${file} hangs: ${error.message}.`;
  if (error instanceof Divergence)
    return `${file} does not do the same when it is played again, so it cannot be judged. ${error.message}`;
  return `${file} cannot be judged: ${describe(error)}`;
}

/** The last word: the process ends once it is delivered, whatever the strategy left running. */
function report(message: WorkerReport) {
  process.send?.(message, undefined, undefined, () => process.exit());
}
