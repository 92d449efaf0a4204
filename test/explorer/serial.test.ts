import { expect, test } from 'vitest';
import { isOneAfterAnother } from '../../src/explorer/serial.ts';

test.each([
  ['1,1,2,2', true],
  ['2,1,1,3', true],
  ['1,1,.1,2', true],
  ['1,2,1,2', false],
  ['1,1', false],
  ['1,t,2', false],
  ['1,k1,2', false],
  ['', false],
])('in %s the sessions run one after the other: %s', (schedule, expected) => {
  expect(isOneAfterAnother(schedule === '' ? [] : schedule.split(','))).toBe(expected);
});
