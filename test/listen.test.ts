import { expect, test } from 'vitest';
import { listen } from '../src/listen.ts';

const never = new Promise<Response>(() => undefined);

test('a request that hangs is cut off at the deadline of the drain, which says so', async () => {
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const fetchNothing = () => {
    arrived();
    return never;
  };
  const { url, drain } = await listen({ fetch: fetchNothing }, '127.0.0.1', 0);
  const request = fetch(url).then(
    () => 'answered',
    () => 'cut off',
  );
  await arrival;
  expect(await drain(50)).toBe(true);
  expect(await request).toBe('cut off');
});

test('a drain lets what runs end, and has cut nothing off', async () => {
  let answer = (_: Response) => {};
  const answered = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const fetchLater = () => {
    arrived();
    return answered;
  };
  const { url, drain } = await listen({ fetch: fetchLater }, '127.0.0.1', 0);
  const request = fetch(url);
  await arrival;
  const drained = drain(60_000);
  await expect(fetch(url)).rejects.toThrow();
  answer(new Response('late'));
  expect(await (await request).text()).toBe('late');
  expect(await drained).toBe(false);
});
