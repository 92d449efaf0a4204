import { expect, test } from 'vitest';
import { openProgramLab } from '../../../../src/lab/own/program-lab.ts';
import { play } from '../../../../src/lab/play/play.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { collectLog } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';

const NAIVE = inProject('test/lab/programs/functions/naive.mjs');

// programs.test.ts tests the server, the page, and programs that die or hang.
test('a person plays a program that has its own driver, statement by statement, and oversells', async () => {
  const own = { program: { module: NAIVE }, chapter: 'claims' };
  const { signal } = new AbortController();
  const lab = await openProgramLab(own, await makeDatabase(), collectLog().log, signal);
  const stateAfter = (schedule: string[]) =>
    lab.stages.plays.use((stage) => {
      const [situation] = lab.chapter.situationsOf(lab.strategy);
      return play(stage, { ...lab, situation, sessions: 2, schedule });
    });
  try {
    expect(await stateAfter(['1'])).toMatchObject({
      sessions: [
        {
          status: 'ready',
          statement: 'insert into job_claims (job_id, recruiter_id) values (1, 1)',
        },
        { status: 'ready', statement: expect.stringMatching(/^select capacity - /) },
      ],
      choices: ['1', '2'],
    });
    expect(await stateAfter(['1', '2', '1', '2', '1', '2'])).toMatchObject({
      told: { endings: ['claimed', 'claimed'] },
      verdict: 'oversold: 5 claims, 4 slots',
    });
  } finally {
    await lab.stages.close();
  }
});
