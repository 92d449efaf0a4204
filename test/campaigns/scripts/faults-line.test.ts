import { expect, test } from 'vitest';
import { start } from '../../support/command.ts';
import { projectWithout, type Removal } from '../../support/removal.ts';

/** The timeout of a run. A slow machine needs long to start three servers. */
const PATIENCE_MS = 240_000;

const LOCK: Removal = {
  file: 'src/service/claims/slots.ts',
  text: 'order by id for update`',
  // This lock does not conflict with itself.
  left: 'order by id for key share`',
};
const ORDER: Removal = {
  file: 'src/service/claims/line.ts',
  text: 'order by id limit greatest',
  left: 'order by id desc limit greatest',
};
const OFFER: Removal = {
  file: 'src/service/claims/slots.ts',
  text: 'job.hasLine ? insertOffers(this.#tx, [jobId]) : [],',
  left: '[],',
};

test.each<[string, Removal, string]>([
  ['the lock of the job', LOCK, 'capacity'],
  ['the order of joining', ORDER, 'first come, first served'],
  ['the offer after a release', OFFER, 'no slot is idle while somebody waits'],
  // Requests meet by chance, so one short run may miss the removed line.
])(
  'without %s the line breaks a promise',
  { timeout: PATIENCE_MS, retry: 2 },
  async (...[, removal, promise]) => {
    const command = ['scripts/faults.ts', '--scenario', 'line', '--requests', '2000'];
    const args = ['--import', 'tsx', ...command, '--kills', '5', '--json'];
    const { ended, stdout } = start(process.execPath, args, {}, projectWithout(removal));
    expect((await ended).code).toBe(1);
    const [{ findings }] = JSON.parse(stdout()).scenarios;
    expect(findings).toContainEqual(expect.objectContaining({ promise }));
  },
);
