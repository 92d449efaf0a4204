import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { replay } from '../../../../src/explorer/explore.ts';
import { claims } from '../../../../src/lab/chapters/claims/index.ts';
import { readProgram } from '../../../../src/lab/programs/options.ts';
import { ProgramStage } from '../../../../src/lab/programs/stage.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { makeLabDatabase } from '../../../support/database.ts';
import { withTrial } from '../../../support/programs.ts';

const NAIVE = inProject('test/lab/programs/functions/naive.mjs');

test('a closed stage no longer listens for the stop of the command', async () => {
  const stopping = new AbortController();
  const program = readProgram({ module: NAIVE }, claims);
  const order = { program, chapter: claims, sessions: 1, onRemark: () => undefined };
  const stage = await ProgramStage.open(await makeLabDatabase(), order, stopping.signal);
  expect(getEventListeners(stopping.signal, 'abort')).not.toEqual([]);
  await stage.close();
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});

test('a function that has its own driver oversells if the sessions take turns', async () => {
  const played = await withTrial({ module: NAIVE }, (stage, trial) =>
    replay(stage, trial, ['1', '2', '1', '2', '1', '2']),
  );
  expect(played.faults).toEqual(['oversold']);
});
