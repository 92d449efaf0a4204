import { expect, test } from 'vitest';
import { isSame, makeCode, readCode } from '../../../src/lab/classroom/code.ts';
import { Guesses } from '../../../src/lab/classroom/guesses.ts';

function makeGuesses() {
  let now = 0;
  const guesses = new Guesses(() => now);
  const guess = (address: string, times = 1) => {
    for (let each = 0; each < times; each++) guesses.noteWrong(address);
  };
  return { guesses, guess, pass: (ms: number) => (now += ms) };
}

test('after ten wrong codes an address waits for the end of the minute', () => {
  const { guesses, guess, pass } = makeGuesses();
  guess('a', 9);
  expect(guesses.waitOf('a')).toBe(0);
  guess('a');
  expect(guesses.waitOf('a')).toBe(60);
  expect(guesses.waitOf('b')).toBe(0);
  pass(59_000);
  expect(guesses.waitOf('a')).toBe(1);
  pass(1_000);
  expect(guesses.waitOf('a')).toBe(0);
  guess('a');
  expect(guesses.waitOf('a')).toBe(0);
});

test('at most 1000 addresses are remembered, and the address with the oldest last guess is forgotten', () => {
  const { guesses, guess } = makeGuesses();
  guess('first', 10);
  for (let each = 0; each < 999; each++) guess(`other ${each}`);
  expect(guesses.waitOf('first')).toBe(60);
  guess('one more');
  expect(guesses.waitOf('first')).toBe(0);
});

test('a code may be typed in small letters, with spaces or with a hyphen', () => {
  expect(readCode(' k7m-4qx ')).toBe('K7M4QX');
  expect(isSame(readCode('k7m 4qx'), 'K7M4QX')).toBe(true);
  expect(isSame('', 'K7M4QX')).toBe(false);
});

test('200 codes all differ, and have no characters that look alike', () => {
  const codes = Array.from({ length: 200 }, makeCode);
  expect(new Set(codes).size).toBe(200);
  for (const code of codes) expect(code).toMatch(/^[A-HJKMNP-Z2-9]{6}$/);
});
