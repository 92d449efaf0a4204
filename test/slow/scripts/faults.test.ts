import { expect, inject, test } from 'vitest';
import { faults } from '../../support/faults.ts';

// test/campaigns/scripts/faults-ends.test.ts tests how the command ends in the middle of its work.

test('npm run faults gives no verdict if it can play no scenario', async () => {
  const DATABASE_URL = inject('scratchUrl');
  const { ended, stdout } = faults(['--scenario', 'postgres'], { DATABASE_URL });
  expect((await ended).code).toBe(2);
  expect(stdout()).toContain('Verdict: nothing was played.');
});
