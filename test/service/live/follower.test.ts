import { describe, expect, test } from 'vitest';
import { Batch } from '../../../src/service/live/batch.ts';
import { Follower } from '../../../src/service/live/follower.ts';
import type { Page } from '../../../src/service/live/queries.ts';

/** Makes a follower of jobs on these pages. The test reads its chunks one by one. */
function makeFollower(pages: Page[], pending = 3) {
  let read = 0;
  const follower = new Follower(
    {},
    {
      async read(_followed, _cursor, take) {
        const page = pages[read++];
        if (!page) throw new Error('the database is away');
        take(page);
      },
      heartbeatMs: 60_000,
      pending,
    },
  );
  const chunks = follower.chunks();
  const nextChunk = async () => (await chunks.next()).value;
  const next = async () => textOf(await nextChunk());
  return { follower, next, nextChunk, pagesRead: () => read };
}

const textOf = (chunk: unknown) =>
  chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : 'nothing';
const about = (...events: [id: bigint, text: string][]) =>
  new Batch(events.map(([id, text]) => [id, Buffer.from(text)]));
const page = (next: bigint | undefined, ...ids: bigint[]): Page => ({
  events: about(...ids.map((id): [bigint, string] => [id, `<${id}>`])),
  next,
  own: { claims: [], places: [] },
});
const BEGIN = 'event: begin\ndata: {}\n\n';
const END = 'event: end\ndata: {}\n\n';

/** Returns the text up to the end of the full state, without `retry`. */
async function fullState(next: () => Promise<string>): Promise<string> {
  let text = '';
  while (!text.endsWith(END)) text += await next();
  return text.replace(/^retry: \d+\n\n/, '');
}

describe('a client that does not read', () => {
  test('makes the server read no further pages', async () => {
    const { follower, next, pagesRead } = makeFollower([page(1n, 1n), page(undefined, 2n)]);
    await follower.readOn();
    await next();
    expect(await next()).toBe(`${BEGIN}<1>`);
    expect(pagesRead()).toBe(1);
    expect(await next()).toBe(`<2>${END}`);
  });

  test('gets only the latest state of a job', async () => {
    const { follower, next } = makeFollower([page(undefined)]);
    await fullState(next);
    for (let n = 1; n <= 1_000; n++)
      for (const id of [1n, 2n]) follower.put(about([id, `<${id}: ${n}>`]));
    expect(await next()).toBe('<1: 1000><2: 1000>');
  });

  test('gets the full state again after too many jobs have changed', async () => {
    const { follower, next } = makeFollower([page(undefined), page(undefined, 1n, 2n, 3n, 4n)]);
    await fullState(next);
    for (const id of [1n, 2n, 3n]) follower.put(about([id, `<old ${id}>`]));
    follower.put(about([4n, '<old 4>']));
    expect(await fullState(next)).toBe(`${BEGIN}<1><2><3><4>${END}`);
    follower.put(about([4n, '<new 4>']));
    expect(await next()).toBe('<new 4>');
  });
});

test('two clients get the same buffer for the same events, and not two copies', async () => {
  const [one, another] = [makeFollower([page(undefined)]), makeFollower([page(undefined)])];
  for (const { next } of [one, another]) await fullState(next);
  const changes = about([1n, '<1>'], [2n, '<2>']);
  for (const { follower } of [one, another]) follower.put(changes);
  const first = await one.nextChunk();
  expect(textOf(first)).toBe('<1><2>');
  expect(await another.nextChunk()).toBe(first);
});

describe('while the full state is being sent', () => {
  test('a changed job is sent again if its page was read before, and otherwise comes only with its page', async () => {
    const { follower, next } = makeFollower([page(2n, 1n, 2n), page(undefined, 3n)]);
    await follower.readOn();
    follower.put(about([1n, '<new 1>'], [3n, '<old 3>']));
    expect(await fullState(next)).toBe(`${BEGIN}<new 1><2><3>${END}`);
  });

  test('a place in line before the first page is not sent, because it may be gone in this page', async () => {
    const { follower, next } = makeFollower([page(2n, 1n, 2n), page(undefined, 3n)]);
    follower.put(about([-5n, '<old place>']));
    await follower.readOn();
    follower.put(about([-6n, '<place>']));
    expect(await fullState(next)).toBe(`${BEGIN}<1><2><place><3>${END}`);
  });

  test('a missed change makes the full state begin again, without the pages that were read before', async () => {
    const pages = [page(2n, 1n, 2n), page(undefined, 1n, 3n)];
    const { follower, next } = makeFollower(pages);
    await follower.readOn();
    follower.restart();
    expect(await fullState(next)).toBe(`${BEGIN}<1><3>${END}`);
  });

  test('a page is not sent if a change was missed while the page was read', async () => {
    const follower: Follower = new Follower(
      {},
      {
        async read(_followed, _cursor, take) {
          if (isFirst) follower.restart();
          take(page(undefined, isFirst ? 1n : 2n));
          isFirst = false;
        },
        heartbeatMs: 60_000,
        pending: 3,
      },
    );
    let isFirst = true;
    const chunks = follower.chunks();
    const told = await fullState(async () => textOf((await chunks.next()).value));
    expect(told).toBe(`${BEGIN}${BEGIN}<2>${END}`);
  });

  test('the follower asks an unreachable database again, and continues to send heartbeats', async () => {
    const pages: Page[] = [];
    const { next } = makeFollower(pages);
    await next();
    expect(await next()).toBe(BEGIN);
    expect(await next()).toBe(':\n\n');
    pages.push(page(undefined), page(undefined, 1n), page(undefined, 1n), page(undefined, 1n));
    expect(await next()).toMatch(/^<1>event: end/);
  });
});

test('a client that has left gets nothing more', async () => {
  const { follower, next } = makeFollower([page(undefined)]);
  await fullState(next);
  const waiting = next();
  follower.leave();
  expect(await waiting).toBe('nothing');
});
