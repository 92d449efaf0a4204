import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { claims } from '../../../src/lab/chapters/claims/index.ts';
import { readProgram } from '../../../src/lab/programs/options.ts';
import { ProgramStage } from '../../../src/lab/programs/stage.ts';
import { inProject } from '../../../src/process/project.ts';
import { makeLabDatabase } from '../../support/database.ts';

const NAIVE = inProject('test/lab/programs/functions/naive.mjs');

test('a stage that has ended no longer listens for the stop of the command', async () => {
  const stopping = new AbortController();
  const program = readProgram({ module: NAIVE }, claims);
  const order = { program, chapter: claims, sessions: 1, onRemark: () => undefined };
  const stage = await ProgramStage.open(await makeLabDatabase(), order, stopping.signal);
  expect(getEventListeners(stopping.signal, 'abort')).not.toEqual([]);
  await stage.close();
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});
