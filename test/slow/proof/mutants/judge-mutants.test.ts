import { expect, test } from 'vitest';
import { runSource } from '../../../support/command.ts';

// test/campaigns/scripts/mutants.test.ts tries the mutants of all right strategies.

const judgeMutants = (...strategies: string[]) =>
  runSource('scripts/judge.ts', ['--mutants', ...strategies], { DATABASE_URL: '' });

test('the judge catches the mutants of a strategy in each chapter', async () => {
  const { ended, stdout, stderr } = judgeMutants(
    'claims/advisory-lock',
    'queue/drop-repeats',
    'retries/provider-key',
  );
  expect(await ended, stdout() + stderr()).toEqual({ code: 0, signal: null });
  expect(stdout()).toMatch(/^\d+ mutants\n {2}\d{2,} break a rule\n/);
  expect(stdout()).toMatch(
    /\nThe judge catches \d+ % of the mutants that run and are not equivalent\.\n/,
  );
});

test('a wrong strategy has no mutants', async () => {
  const { ended, stderr } = judgeMutants('claims/naive');
  expect(await ended).toEqual({ code: 2, signal: null });
  expect(stderr()).toMatch(
    /^claims\/naive has no mutants\. These strategies have mutants: claims\//,
  );
});
