import { expect, test } from 'vitest';
import { InTurn } from '../../../src/service/idempotency/in-turn.ts';

const late = () => 'late' as never;

test('pieces of work with the same name run one by one, and work with another name does not wait', async () => {
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

test('work that waits too long gives the late answer, and later work still waits for the running work', async () => {
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

test('99 pieces of work may wait for a running piece, and the next piece gives the late answer immediately', async () => {
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

test('the next work runs after a piece of work has failed', async () => {
  const inTurn = new InTurn(60_000);
  const first = inTurn.run('a', () => Promise.reject(new Error('failed')), late);
  const second = inTurn.run('a', async () => 'ran', late);
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe('ran');
});
