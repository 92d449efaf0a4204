import { expect, test } from 'vitest';
import { InTurn } from '../../../src/http/idempotency/in-turn.ts';

const late = () => 'late' as never;

test('work of one name runs one after the other, and work of other names runs at once', async () => {
  const inTurn = new InTurn(60_000);
  const order: string[] = [];
  let end: () => void = () => undefined;
  const first = inTurn.run('a', () => new Promise<void>((resolve) => (end = resolve)), late);
  const second = inTurn.run('a', async () => void order.push('second'), late);
  await inTurn.run('b', async () => void order.push('other'), late);
  order.push('first');
  end();
  await Promise.all([first, second]);
  expect(order).toEqual(['other', 'first', 'second']);
  expect(inTurn.has('a')).toBe(false);
});

test('work that waits too long is late, and later work still waits for the first', async () => {
  const inTurn = new InTurn(20);
  let isRunning = true;
  let end: () => void = () => undefined;
  const first = inTurn.run('a', () => new Promise<void>((resolve) => (end = resolve)), late);
  expect(await inTurn.run('a', async () => 'ran', late)).toBe('late');
  const third = inTurn.run('a', async () => isRunning, late);
  isRunning = false;
  end();
  await first;
  expect(await third).toBe(false);
});

test('a hundred may wait, and the next one is late at once', async () => {
  const inTurn = new InTurn(60_000);
  let end: () => void = () => undefined;
  const first = inTurn.run('a', () => new Promise<void>((resolve) => (end = resolve)), late);
  const waiting = Array.from({ length: 99 }, () => inTurn.run('a', async () => 'ran', late));
  expect(await inTurn.run('a', async () => 'ran', late)).toBe('late');
  end();
  await first;
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ran']));
  expect(await inTurn.run('a', async () => 'ran', late)).toBe('ran');
});

test('work that fails lets the next work run', async () => {
  const inTurn = new InTurn(60_000);
  const first = inTurn.run('a', () => Promise.reject(new Error('failed')), late);
  const second = inTurn.run('a', async () => 'ran', late);
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe('ran');
});
