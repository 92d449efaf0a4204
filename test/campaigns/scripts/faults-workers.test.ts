import { expect, test } from 'vitest';
import { start } from '../../support/command.ts';
import { projectWithout, type Removal } from '../../support/removal.ts';

/** The timeout of a run. A lease lasts 15 s, and a slow machine needs long to start the workers. */
const PATIENCE_MS = 300_000;

const FENCE: Removal = {
  file: 'src/service/queue/held.ts',
  text: `
  and \${tasks.attempt} = \${fieldOfHold('attempt')}::int and \${tasks.leaseUntil} is not null`,
  left: '',
};
const ROW_LOCK: Removal = {
  file: 'src/service/queue/claim.ts',
  text: 'for update skip locked',
  left: '',
};
const SKIP_LOCKED: Removal = { ...ROW_LOCK, left: 'for update' };
const LEASE: Removal = { file: 'src/service/queue/claim.ts', text: ` and \${IS_FREE}`, left: '' };

test.each<[string, Removal, number, string]>([
  ['the fence', FENCE, 500, 'only the holder writes an outcome'],
  ['the row lock', ROW_LOCK, 200, 'each task has one holder'],
  ['SKIP LOCKED', SKIP_LOCKED, 200, 'no worker waits for another'],
  ['the lease', LEASE, 200, 'each task has one holder'],
  // Faults strike by chance, so one short run may miss the removed line.
])(
  'without %s the workers break a promise',
  { timeout: PATIENCE_MS, retry: 2 },
  async (...what) => {
    const [, removal, tasks, promise] = what;
    const command = ['scripts/faults.ts', '--scenario', 'workers', '--tasks', `${tasks}`, '--json'];
    const args = ['--import', 'tsx', ...command];
    const { ended, stdout } = start(process.execPath, args, {}, projectWithout(removal));
    expect((await ended).code).toBe(1);
    const [{ findings }] = JSON.parse(stdout()).scenarios;
    expect(findings).toContainEqual(expect.objectContaining({ promise }));
  },
);
