import { expect, test } from 'vitest';
import { Line } from '../../../src/lab/stages/line.ts';

const never = new AbortController().signal;

/** Work that goes on until it is ended. */
function makeWork() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

test('work runs one at a time, in the order in which it came, and is told its place', async () => {
  const line = new Line(2);
  const order: string[] = [];
  const works = [makeWork(), makeWork(), makeWork()];
  const runs = works.map(({ work }, index) =>
    line.run(
      async () => {
        order.push(`${index} begins`);
        await work();
        order.push(`${index} ends`);
      },
      (place) => order.push(`${index} is at ${place}`),
      never,
    ),
  );
  expect(line.isFull()).toBe(true);
  for (const [index, { end }] of works.entries()) {
    end();
    await runs[index];
  }
  expect(order).toEqual([
    ...['0 begins', '1 is at 1', '2 is at 2'],
    ...['0 ends', '2 is at 1', '1 begins', '1 ends', '2 begins', '2 ends'],
  ]);
});

test('a line that is full takes nobody', async () => {
  const line = new Line(0);
  const { work, end } = makeWork();
  const running = line.run(work, () => undefined, never);
  expect(await line.run(work, () => undefined, never)).toBe('full');
  end();
  await running;
  expect(line.isFull()).toBe(false);
});

test('who is stopped leaves the line, and those behind move up', async () => {
  const line = new Line(2);
  const { work, end } = makeWork();
  const running = line.run(work, () => undefined, never);
  const stop = new AbortController();
  const leaving = line.run(work, () => undefined, stop.signal);
  const places: number[] = [];
  const behind = line.run(
    async () => 'done',
    (place) => places.push(place),
    never,
  );
  stop.abort();
  expect(await leaving).toBe('left');
  expect(places).toEqual([2, 1]);
  end();
  await running;
  expect(await behind).toBe('done');
});

test('work that fails lets the next one run', async () => {
  const line = new Line(1);
  const failing = line.run(
    () => Promise.reject(new Error('no')),
    () => undefined,
    never,
  );
  const next = line.run(
    async () => 'done',
    () => undefined,
    never,
  );
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});
