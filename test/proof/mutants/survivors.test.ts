import { expect, test } from 'vitest';
import { findSubjects, mutantsOfSubject, nameOfMutant } from '../../../proof/mutants/subjects.ts';
import { byChance, equivalents, untried } from '../../../proof/mutants/survivors.ts';

const names = findSubjects().flatMap(mutantsOfSubject).map(nameOfMutant);

test('each mutant has a name of its own', () => {
  expect(names.length).toBeGreaterThan(500);
  expect(new Set(names).size).toBe(names.length);
});

test('each mutant that is known to survive exists, and a sentence says why', () => {
  const known = [...equivalents, ...untried, ...byChance];
  expect(known.filter(([name]) => !names.includes(name))).toEqual([]);
  expect(known.filter(([, why]) => !/^[A-Z].+\.$/.test(why))).toEqual([]);
  expect(known.length).toBeLessThan(names.length / 4);
});
