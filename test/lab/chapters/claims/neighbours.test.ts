import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { strategies } from '../../../../src/lab/chapters/claims/strategies/index.ts';

/** Returns the code of a strategy, without comments, imports, names and indentation. */
function codeOf(name: string): string[] {
  const file = `../../../../src/lab/chapters/claims/strategies/${name}.ts`;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const lines = text.replace(/\/\*\*[\s\S]*?\*\//g, '').split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => !/^(import .*|\/\/ .*|export const .*|(name|idea|promise): .*|)$/.test(line));
}

test('the first four strategies are naive, transaction, row-lock and production', () => {
  expect(strategies.slice(0, 4).map(({ name }) => name)).toEqual([
    'naive',
    'transaction',
    'row-lock',
    'production',
  ]);
});

test('row-lock has one line more than transaction: the lock', () => {
  const before = codeOf('transaction');
  const added = codeOf('row-lock').filter((line) => !before.includes(line));
  expect(added).toEqual([
    "await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');",
  ]);
  expect(codeOf('row-lock').filter((line) => !added.includes(line))).toEqual(before);
});

test('transaction has the code of naive, inside a database transaction', () => {
  const inside = (name: string) =>
    codeOf(name)
      .filter((line) => !/^(claim: .*|db\.transaction\(.*|\}\)?,|\};)$/.test(line))
      .map((line) => line.replace('(tx, ', '(db, '));
  expect(inside('transaction')).toEqual(inside('naive'));
});
