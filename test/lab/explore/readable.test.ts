import { expect, test } from 'vitest';
import { readableStatement } from '../../../src/lab/explore/readable.ts';

test('a statement has the values of its parameters, once they have come', () => {
  const text = 'select from jobs where id = $1 and capacity = $2';
  expect(readableStatement({ text, params: ['1', null] })).toBe(
    'select from jobs where id = 1 and capacity = null',
  );
  expect(readableStatement({ text, params: [] })).toBe(text);
});
