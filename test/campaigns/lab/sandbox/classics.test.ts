import { afterAll, describe, expect, test } from 'vitest';
import { Boxes } from '../../../../src/lab/sandbox/box.ts';
import { classics } from '../../../../src/lab/sandbox/classics/index.ts';
import { type Experiment, readExperiment } from '../../../../src/lab/sandbox/experiment.ts';
import { runExperiment } from '../../../../src/lab/sandbox/run.ts';

const boxes = new Boxes();
afterAll(() => boxes.close());

const run = async (experiment: Experiment) => runExperiment(boxes, readExperiment(experiment));

describe.each(classics)('the classic $name', ({ broken, fixed, fault }) => {
  test('has its fault in the broken version', async () => {
    const found = await run(broken);
    expect(Object.keys(found.faults)).toEqual([fault]);
    expect(found.isComplete).toBe(true);
    expect(found.counterexample?.faults).toContain(fault);
  });

  test('has no fault in the fixed version', async () => {
    expect(await run(fixed)).toMatchObject({ isComplete: true, faults: {}, counterexample: null });
  });
});
