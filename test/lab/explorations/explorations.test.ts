import { expect, test } from 'vitest';
import { findStrategy } from '../../../src/lab/chapters/index.ts';
import { Explorations } from '../../../src/lab/explorations/explorations.ts';
import type { Stages } from '../../../src/lab/stages/stages.ts';
import { collectLog } from '../../support/app.ts';

/** Explorations that begin and never end. One runs, and none may wait. */
function makeExplorations() {
  const stages = { use: () => new Promise(() => {}) } as unknown as Stages;
  const stop = new AbortController().signal;
  const turns = { places: 1, longest: 0 };
  return new Explorations({ stages, log: collectLog().log, stop, turns });
}

function asked(strategy: string) {
  const found = findStrategy(strategy);
  if (typeof found === 'string') throw new Error(found);
  const [situation] = found.chapter.situationsOf(found.strategy);
  return { ...found, situation, sessions: 2 };
}

test('of two who ask at the same moment for the last place, one is refused', () => {
  const explorations = makeExplorations();
  expect(explorations.listen(asked('claims/naive'), 'one')).not.toBe('full');
  expect(explorations.listen(asked('claims/row-lock'), 'other')).toBe('full');
});
