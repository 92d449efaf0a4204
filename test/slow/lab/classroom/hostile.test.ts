import { expect, test } from 'vitest';
import { MOST_STUDENTS } from '../../../../src/lab/classroom/roll.ts';
import { makeRoom } from '../../../support/room.ts';

/** A busy machine needs long to update the teacher's page. */
const SOON = { timeout: 20_000 };

const { room, events, join, teacher, stranger } = await makeRoom();
const neighbour = await join('Ada');

test('each rename counts as a request of the student, and many renames cause few teacher events', async () => {
  const renamer = await join('Renamer');
  const following = await teacher.follow('/teacher/room');
  const began = performance.now();
  const renames = Array.from({ length: 50 }, (_, index) =>
    renamer.call('POST', '/join', { name: `Name ${index}` }),
  );
  const left = (await Promise.all(renames)).map(
    ({ headers }) => /remaining=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1],
  );
  expect(Math.min(...left.map(Number))).toBe(550);
  const names = () =>
    following.events.at(-1)?.data.students.map(({ name }: { name: string }) => name);
  const { body } = await renamer.call('POST', '/join', { name: 'The last name' });
  await expect.poll(names, SOON).toContain(body.name);
  const ticks = (performance.now() - began) / 100;
  // The first event comes at the beginning of the stream.
  expect(following.events.length).toBeLessThanOrEqual(ticks + 2);
  following.leave();
});

test('after a thousand attempts to join, the room is full, and nobody who was inside is lost', async () => {
  const following = await teacher.follow('/teacher/room');
  const present = () => following.events.at(-1)?.data.students ?? [];
  await expect.poll(() => present().length, SOON).toBeGreaterThan(0);
  const before = present();
  const statuses: number[] = [];
  for (let batch = 0; batch < 20; batch++)
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const name = `Crowd ${batch} ${index}`;
        const { status } = await stranger.call('POST', '/join', { code: room.code, name });
        statuses.push(status);
      }),
    );
  const many = (wanted: number) => statuses.filter((status) => status === wanted).length;
  const free = MOST_STUDENTS - before.length;
  expect([many(200), many(503)]).toEqual([free, 1_000 - free]);
  await expect.poll(() => present().length, SOON).toBe(MOST_STUDENTS);
  expect(present()).toEqual(expect.arrayContaining(before));
  expect((await neighbour.call('GET', '/jobs')).status).toBe(200);
});

test('the room logs no error', () => {
  expect(events).toEqual([]);
});
