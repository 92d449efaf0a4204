import { expect, test } from 'vitest';
import { runSource } from '../../support/command.ts';

test('the judge catches each mutant of a right strategy that is not equivalent', {
  tags: ['etcd'],
  timeout: 3_600_000,
}, async () => {
  const { ended, stdout, stderr } = runSource('scripts/judge.ts', ['--mutants'], {
    DATABASE_URL: '',
  });
  expect(await ended, stdout() + stderr()).toEqual({ code: 0, signal: null });
  expect(stdout()).toMatch(/The judge catches (9[5-9]|100) % of the mutants/);
});
