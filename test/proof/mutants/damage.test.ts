import { expect, test } from 'vitest';
import { mutantsOf } from '../../../proof/mutants/damage.ts';

const CLAIM = `
export const rowLock = {
  claim: (db, request) =>
    db.transaction(async (tx) => {
      await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
      const decision = await count(tx);
      if (decision.kind !== 'granted') return decision;
      return { kind: 'claimed' };
    }),
};
const count = (tx) => tx.execute(sql\`select from jobs where id = \${id} and x < 1 for update\`);
const unused = () => other(1 + 1);
`;

const namesOf = (text: string, ...declarations: string[]) =>
  mutantsOf(text, declarations).map(({ name }) => name);

test('a lock is dropped, weakened, skipped, and given another key', () => {
  const names = namesOf(CLAIM, 'rowLock');
  expect(names).toEqual(
    expect.arrayContaining([
      "weakens a row lock: .for('update')",
      "weakens a row lock: 'update' → 'share'",
      'changes what happens at a locked row: { skipLocked: true }',
      'takes another field: jobId → recruiterId',
      'drops a condition: .where(eq(jobs.id, request.jobId))',
      'moves a statement out of the transaction: tx → db',
      "changes the transaction: { isolationLevel: 'serializable' }",
      "answers something else: 'claimed' → 'busy'",
    ]),
  );
});

test('SQL in a template is damaged too, and its values stay whole', () => {
  const texts = mutantsOf(CLAIM, ['count']).map(({ text }) => text);
  const statements = texts
    .flatMap((text) => /sql`(.*)`/.exec(text)?.[1] ?? [])
    .map((text) => text.replace(/\$\{id\}/, '?').replaceAll(/ +/g, ' '));
  expect(statements.toSorted()).toEqual(
    [
      'select from jobs where id = ? and x < 1 for no key update',
      'select from jobs where id = ? and x < 1 for share',
      'select from jobs where id = ? and x < 1 for key share',
      'select from jobs where id = ? and x <= 1 for update',
      'select from jobs where x < 1 for update',
      'select from jobs where id = ? for update',
    ].toSorted(),
  );
});

test('a mutant has its line, a name of its own, and one change', () => {
  const mutants = mutantsOf(CLAIM, ['rowLock']);
  const names = mutants.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const dropped = mutants.find(({ name }) => name.startsWith('drops a statement: await tx'));
  expect(dropped?.line).toBe(5);
  expect(dropped?.text.split('\n').filter((line) => !CLAIM.includes(line))).toEqual([]);
});

test('only declarations that the chosen one uses are damaged', () => {
  expect(namesOf(CLAIM, 'unused').every((name) => name.includes('1'))).toBe(true);
  expect(namesOf(CLAIM, 'rowLock').some((name) => name.includes('in SQL'))).toBe(true);
  expect(namesOf(CLAIM, 'count').some((name) => name.includes('isolationLevel'))).toBe(false);
});
