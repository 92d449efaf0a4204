import { expect, test, vi } from 'vitest';
import { knownVerdicts } from '../../../src/lab/syllabus/known-verdicts.ts';
import type { Following } from '../../support/events.ts';
import { makeRoom } from '../../support/room.ts';

const { room, events, join, teacher, stranger } = await makeRoom();

const newsOf = ({ events: told }: Following, wanted: string) =>
  told.filter(({ name }) => name === wanted).map(({ data }) => data);
const until = (following: Following, name: string) =>
  vi.waitFor(() => expect(newsOf(following, name)).not.toEqual([]), { timeout: 20_000 });
const explore = (strategy: string, sessions = 2) =>
  `/lab/explorations?strategy=${strategy}&sessions=${sessions}`;

test('a stranger is sent to the page to join, and joins with the code and a name', async () => {
  for (const path of ['/', '/lab', '/lab?view=sandbox']) {
    const { status, headers } = await stranger.call('GET', path);
    expect([status, headers.get('location')]).toEqual([303, '/join']);
  }
  for (const [path, script] of [
    ['/join', '/join-'],
    ['/teacher', '/teacher-'],
  ] as const)
    expect((await stranger.call('GET', path)).body).toContain(script);
  const ada = await join('Ada');
  expect(ada.answer.body).toEqual({ name: 'Ada' });
  expect(ada.answer.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax$/);
  const page = await ada.call('GET', '/lab');
  expect(page.status).toBe(200);
  expect(page.body).toContain('data-classroom');
  expect(page.body).toContain('<bdi>Ada</bdi>');
  expect(page.body).not.toMatch(/company|docs/);
});

test('a student changes the name without the code', async () => {
  const bob = await join('Bob');
  expect((await bob.call('POST', '/join', { name: 'Robert' })).body).toEqual({ name: 'Robert' });
  expect((await bob.call('GET', '/lab')).body).toContain('<bdi>Robert</bdi>');
});

test('the teacher sees each student’s lesson and step, and the predictions of each lesson', async () => {
  const following = await teacher.follow('/teacher/room');
  const [eve, mallory] = [await join('Eve'), await join('Mallory')];
  const report = { lesson: 5, step: 'predict', prediction: 'B' };
  expect((await eve.call('POST', '/lab/classroom/progress', report)).status).toBe(204);
  await mallory.call('POST', '/lab/classroom/progress', { ...report, prediction: 'A' });
  await mallory.call('POST', '/lab/classroom/progress', { lesson: 5, step: 'done' });
  await vi.waitFor(() => {
    const latest = newsOf(following, 'room').at(-1);
    expect(latest.predictions[5]).toEqual({ A: 1, B: 1 });
    const found = latest.students.find(({ name }: { name: string }) => name === 'Mallory');
    expect(found).toMatchObject({ lesson: 5, step: 'done' });
  });
  const told = (await teacher.call('GET', '/teacher/classroom')).body;
  expect(told).toMatchObject({ url: room.url, code: room.code });
  expect(told.qr.length).toBe(told.qr[0].length);
  expect(told.lessons.map(({ number }: { number: number }) => number)).toEqual(
    Array.from({ length: 17 }, (_, index) => index + 1),
  );
  for (const { code, choices } of told.lessons) {
    expect(code).not.toBe('');
    expect(code).not.toMatch(/^import /m);
    expect(choices.length).toBeGreaterThan(1);
  }
});

const OPEN = { lesson: 4, mayLookAhead: false, isHeld: true, votesAgain: false };
const FREE = { lesson: null, mayLookAhead: true, isHeld: false, votesAgain: false };

test('the teacher sets the pace, and the pages of the students follow it', async () => {
  const desk = await teacher.follow('/teacher/room');
  const ida = await join('Ida');
  const following = await ida.follow('/lab/classroom/pace');
  await until(following, 'pace');
  expect(newsOf(following, 'pace')).toEqual([FREE]);
  const troubleOf = () => {
    const { students } = newsOf(desk, 'room').at(-1) ?? { students: [] };
    return students.find(({ name }: { name: string }) => name === 'Ida')?.trouble;
  };
  await vi.waitFor(() => expect(troubleOf()).toBeNull());
  expect((await teacher.call('PATCH', '/teacher/pace', OPEN)).status).toBe(204);
  await vi.waitFor(() => expect(newsOf(following, 'pace').at(-1)).toEqual(OPEN));
  await vi.waitFor(() => expect(newsOf(desk, 'room').at(-1).pace).toEqual(OPEN));
  await following.leave();
  await vi.waitFor(() => expect(troubleOf()).toBe('away'));
  await teacher.call('PATCH', '/teacher/pace', FREE);
});

test('a HEAD request for the pace leaves no listener behind', async () => {
  const head = await join('Head');
  for (let count = 0; count < 250; count++)
    expect((await head.call('HEAD', '/lab/classroom/pace')).status).toBe(200);
  const following = await head.follow('/lab/classroom/pace');
  await until(following, 'pace');
});

test('a second vote counts only while the teacher asks for it', async () => {
  const desk = await teacher.follow('/teacher/room');
  const nina = await join('Nina');
  const vote = { lesson: 6, step: 'do', prediction: 'A', secondVote: 'B' };
  const told = () => newsOf(desk, 'room').at(-1)?.secondVotes[6];
  await nina.call('POST', '/lab/classroom/progress', vote);
  await teacher.call('PATCH', '/teacher/pace', { lesson: 6, votesAgain: true });
  expect(told()).toBeUndefined();
  await nina.call('POST', '/lab/classroom/progress', vote);
  await vi.waitFor(() => expect(told()).toEqual({ B: 1 }));
  await teacher.call('PATCH', '/teacher/pace', FREE);
});

test('nobody but the teacher sets the pace or reads the wrong answers', async () => {
  const ivan = await join('Ivan');
  for (const { call } of [stranger, ivan]) {
    expect((await call('PATCH', '/teacher/pace', OPEN)).status).toBe(403);
    expect((await call('GET', '/teacher/answers/4')).status).toBe(403);
  }
  expect((await stranger.call('GET', '/lab/classroom/pace')).status).toBe(401);
  for (const wrong of ['{', { ...OPEN, lesson: 'four' }, { ...OPEN, more: 1 }])
    expect((await teacher.call('PATCH', '/teacher/pace', wrong)).status).toBe(400);
});

test('the teacher sees the wrong scripts of the class, without names', async () => {
  const [kim, lee] = [await join('Kim'), await join('Lee')];
  for (const { follow } of [kim, lee]) {
    const following = await follow('/lab/scripts', { lesson: 4, text: 'select 1;' });
    await following.ended;
    expect(newsOf(following, 'done')).toMatchObject([{ kind: 'falls' }]);
  }
  const { body } = await teacher.call('GET', '/teacher/answers/4');
  expect(body).toMatchObject([{ students: 2, text: 'select 1;', shown: { faults: ['unsold'] } }]);
  expect(JSON.stringify(body)).not.toContain('Kim');
});

test('each student has a separate board, and a claim appears on no other board', async () => {
  const [one, other] = [await join('One'), await join('Other')];
  const claimed = await one.call('POST', '/jobs/1/claims', { recruiterId: 1 });
  expect(claimed.status).toBe(201);
  const slotsOf = async (who: typeof one) => (await who.call('GET', '/jobs/1')).body.claimed;
  expect([await slotsOf(one), await slotsOf(other)]).toEqual([1, 0]);
  const { id } = claimed.body.claim;
  expect((await other.call('GET', `/claims/${id}`)).status).toBe(404);
  expect((await other.call('DELETE', `/claims/${id}`)).status).toBe(404);
  const key = { 'Idempotency-Key': 'the-same' };
  const again = () => one.call('POST', '/jobs/2/claims', { recruiterId: 2 }, key);
  expect([(await again()).status, (await again()).status]).toEqual([201, 201]);
  expect((await other.call('POST', '/jobs/2/claims', { recruiterId: 2 }, key)).status).toBe(201);
  expect((await one.call('DELETE', `/claims/${id}`)).status).toBe(200);
});

test('a board has lines: a recruiter joins, gets the offer of a released slot, and accepts', async () => {
  const uma = await join('Uma');
  const claims = [];
  for (const recruiterId of [1, 2, 3, 4])
    claims.push((await uma.call('POST', '/jobs/4/claims', { recruiterId })).body.claim);
  const joined = await uma.call('POST', '/jobs/4/waitlist', { recruiterId: 5 });
  expect(joined.body.entry).toMatchObject({ place: 1, offer: null });
  await uma.call('DELETE', `/claims/${claims[0].id}`);
  const [entry] = (await uma.call('GET', '/recruiters/5/waitlist')).body.entries;
  const accepted = await uma.call('POST', `/claims/${entry.offer.claimId}/accept`, {});
  expect(accepted.body.claim).toMatchObject({ recruiterId: 5, expiresAt: null });
  expect((await uma.call('DELETE', '/jobs/4/waitlist/5')).body.code).toBe('not-in-line');
});

test('a board sends an event about a claim to its page', async () => {
  const ida = await join('Ida');
  const following = await ida.follow('/jobs/events?jobId=3');
  await until(following, 'end');
  await ida.call('POST', '/jobs/3/claims', { recruiterId: 1 });
  await vi.waitFor(() => expect(following.latest().get(3)?.data.claimed).toBe(1));
});

test('a verdict that is known already is sent without an exploration, with its counterexample', async () => {
  const max = await join('Max');
  for (const strategy of ['claims/naive', 'claims/row-lock', 'queue/skip-locked']) {
    const following = await max.follow(explore(strategy));
    await following.ended;
    const [situation = ''] = Object.keys(knownVerdicts[strategy]?.situations ?? {});
    const { clearest, ...known } = knownVerdicts[strategy]?.situations[situation] ?? {};
    const [done] = newsOf(following, 'done');
    expect(done).toMatchObject({ strategy, situation, ...known });
    const schedules = Object.values(clearest ?? {});
    if (schedules.length === 0) expect(done.counterexample).toBeNull();
    else expect(schedules).toContain(done.counterexample.schedule.join());
    expect(newsOf(following, 'progress')).toEqual([]);
  }
});

test('long explorations of one student delay no other student', async () => {
  const [slow, quick] = [await join('Slow'), await join('Quick')];
  // With three sessions there are thousands of schedules.
  const held = await slow.follow(explore('claims/fenced-lease', 3));
  await until(held, 'progress');
  const second = await slow.follow(explore('claims/lease', 3));
  await until(second, 'queued');
  const third = await slow.follow(explore('claims/mutex', 3));
  await until(third, 'queued');
  const fourth = await slow.call('GET', explore('claims/advisory-lock', 3));
  expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([503, '1']);

  for (const who of [slow, quick]) {
    const known = await who.follow(explore('claims/row-lock'));
    await known.ended;
    expect(newsOf(known, 'done')).toHaveLength(1);
  }
  const own = await quick.follow(explore('claims/naive', 3));
  await until(own, 'progress');
  const played = { strategy: 'claims/naive', schedule: ['1', '2'] };
  expect((await quick.call('POST', '/lab/plays', played)).status).toBe(200);
  expect(newsOf(held, 'done')).toEqual([]);
  expect(newsOf(second, 'progress')).toEqual([]);
  expect(newsOf(second, 'queued').at(-1)).toEqual({ place: 1 });
  expect(newsOf(third, 'queued').at(-1)).toEqual({ place: 2 });
});

test('students who start the same race at the same time see the same race', async () => {
  const two = [await join('Left'), await join('Right')];
  const order = { strategies: ['claims/naive', 'claims/row-lock'], recruiters: 4, rounds: 2 };
  const races = await Promise.all(two.map((each) => each.follow('/lab/rounds', order)));
  await Promise.all(races.map(({ ended }) => ended));
  const [left, right] = races.map((race) => newsOf(race, 'round'));
  expect(left).toHaveLength(4);
  expect(right).toEqual(left);
  for (const race of races) expect(newsOf(race, 'done')).toHaveLength(1);
});

test('the room logs no error', () => {
  expect(events).toEqual([]);
});
