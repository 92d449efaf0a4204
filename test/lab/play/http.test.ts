import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createLab } from '../../../src/lab/http.ts';
import { playRoutes } from '../../../src/lab/play/http.ts';
import type { PlayState } from '../../../src/lab/play/play.ts';
import { labUnavailable } from '../../../src/lab/problems.ts';
import { openStage, openStages, PLAY_LIMITS } from '../../../src/lab/stages/lab-stages.ts';
import { Stages } from '../../../src/lab/stages/stages.ts';
import { collectLog, makeApp, makeLab } from '../../support/app.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;
beforeAll(async () => {
  made = await makeApp();
  made.app.route('/lab', makeLab(made));
});

const ask = (body: unknown) => made.call('POST', '/lab/plays', body);
const schedule = (text: string) => text.split(',');

test('the answer to a play is the state after its schedule', async () => {
  const { status, body } = await ask({ strategy: 'naive', schedule: schedule('1,2,1,2,1,2') });
  expect(status).toBe(200);
  const { told, verdict, committed } = body as PlayState;
  expect(told.transcript).toMatch(/5 claims, 4 slots: OVERSOLD$/);
  expect(verdict).toBe('oversold: 5 claims, 4 slots');
  expect(committed).toMatchObject({ isWrong: true, summary: '5 claims committed, 4 slots' });
});

test('a caller may choose another situation, and three sessions', async () => {
  const asked = { strategy: 'row-lock', situation: 'first-slot', sessions: 3 };
  const { body } = await ask({ ...asked, schedule: schedule('1,2,3') });
  const { committed, sessions } = body as PlayState;
  expect(committed).toEqual({
    marks: [{ by: 'nobody', isExcess: false }],
    summary: '0 claims committed, 1 slot',
    detail: 'Nobody holds the job.',
    isWrong: false,
  });
  expect(sessions.map(({ waitsFor }) => waitsFor)).toEqual([[], [1], [2]]);
});

describe('the answer to a wrong request for a play says what is wrong', () => {
  test.each([
    [{}, /^strategy must be the name of a strategy$/],
    [[], /^body must be a JSON object$/],
    [{ strategy: 'naive', schedul: [] }, /^body has unknown fields: schedul$/],
    [
      { strategy: 'naive', situation: 'moon' },
      /^There is no situation "moon"\. The situations of naive are last-slot, /,
    ],
    [{ strategy: 'naive', sessions: 4 }, /^sessions must be 2 or 3$/],
    [{ strategy: 'naive', sessions: 1 }, /^sessions must be 2 or 3$/],
    [{ strategy: 'naive', schedule: '1,2' }, /^schedule must be a list of choices such as/],
    [{ strategy: 'naive', schedule: ['9'] }, /^schedule.0 must be a choice such as 1, t or k1$/],
    [{ strategy: 'naive', schedule: ['k1'] }, /^Step 1 .* is k1\. The choices there: 1, 2\.$/],
    [
      { strategy: 'naive', schedule: Array(201).fill('1') },
      /^schedule may have at most 200 steps$/,
    ],
    [{ strategy: 'naive', schedule: ['3'] }, /^Step 1 .* is 3\. The choices there: 1, 2\.$/],
    [{ strategy: 'naive', schedule: ['t'] }, /^Step 1 .* is t\. The choices there: 1, 2\.$/],
  ])('%j', async (asked, detail) => {
    const { status, body } = await ask(asked);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
    expect(body.detail).toMatch(detail);
  });

  test('an unknown strategy', async () => {
    const { status, body } = await ask({ strategy: 'hope' });
    expect([status, body.code]).toEqual([404, 'strategy-not-found']);
    expect(body.detail).toContain('naive');
  });

  test('any method but POST', async () => {
    const response = await made.app.request('/lab/plays');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

test('plays at the same time change neither each other nor the tables of the service', async () => {
  const rows = () =>
    made.db.execute(sql`
      select (select count(*) from job_claims) as claims, (select count(*) from jobs) as jobs,
        (select count(*) from recruiters) as recruiters`);
  const before = await rows();
  const plays = [
    { strategy: 'claims/mutex', schedule: schedule('1,2,1,1') },
    { strategy: 'claims/mutex', schedule: schedule('2,1,2') },
    { strategy: 'naive', schedule: schedule('1,2,1,2,1,2') },
    { strategy: 'row-lock', schedule: schedule('1,2,1') },
    { strategy: 'claims/advisory-lock', schedule: schedule('1,2') },
    { strategy: 'claims/advisory-lock', schedule: schedule('2,1') },
    { strategy: 'claims/lease', schedule: schedule('1,1,2,2,t') },
  ];
  const alone: unknown[] = [];
  for (const each of plays) alone.push((await ask(each)).body);
  const together = await Promise.all(
    [...plays, ...plays].map(async (each) => (await ask(each)).body),
  );
  expect(together).toEqual([...alone, ...alone]);
  expect(await rows()).toEqual(before);
});

test('callers of the same schedule share one play, and a later caller gets the known state', async () => {
  const { log } = collectLog();
  const stages = new Stages(
    made.databaseUrl,
    { ...PLAY_LIMITS, places: 1, longest: 0 },
    log,
    openStage,
  );
  onTestFinished(() => stages.close());
  const routes = playRoutes(stages);
  const ask = async () => {
    const body = JSON.stringify({ strategy: 'naive', schedule: ['1', '2'] });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await routes.request('/plays', { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
  await stages.close();
  expect([...others, await ask()]).toEqual([first, first, first]);
});

describe('if the lab has no free stage for a play', () => {
  const asksOf = async (stages: Parameters<typeof createLab>[0]['stages']) => {
    const other = await makeApp({ url: made.databaseUrl });
    other.app.route(
      '/lab',
      createLab({
        log: collectLog().log,
        stages,
        stop: new AbortController().signal,
      }),
    );
    // A test that needs several plays gives several schedules. Callers of the same schedule would
    // share one play.
    return (...schedule: string[]) =>
      other.call('POST', '/lab/plays', { strategy: 'naive', schedule });
  };

  test('because all stages are in use, the answer is 503 busy, with the seconds to wait', async () => {
    const { log } = collectLog();
    const limits = { ...PLAY_LIMITS, places: 1, longest: 0 };
    const stages = { ...openStages(made.databaseUrl, log) };
    stages.plays = new Stages(made.databaseUrl, limits, log, openStage);
    const play = await asksOf(stages);
    const answers = await Promise.all([play(), play('1'), play('2')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.body.code).toBe('busy');
    expect(refused?.headers.get('retry-after')).toBe('1');
    await stages.plays.close();
  });

  test('because the database does not answer, the answer is 503 busy, and the log names the cause', async () => {
    const { log, events } = collectLog();
    const play = await asksOf(openStages('postgres://nobody@127.0.0.1:9/x', log));
    for (let times = 1; times <= 3; times++) {
      const { status, body, headers } = await play();
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'busy', '1']);
      expect(body.detail).toBe('The lab cannot use its database at the moment. Try again.');
    }
    // Other events come from the search for databases of killed servers, which fails as well.
    const told = events.filter(({ event }) => event === 'the lab cannot use its database');
    expect(told).toEqual([
      {
        event: 'the lab cannot use its database',
        database: 'PostgreSQL at 127.0.0.1:9/x',
        reason: expect.stringMatching(/ECONNREFUSED.*Check DATABASE_URL/),
      },
    ]);
  });

  test('because the account has no right to make databases, the answer is 503 lab-unavailable, and does not name the account', async () => {
    const url = new URL(made.databaseUrl);
    Object.assign(url, { username: 'rowlock_player', password: 'secret' });
    await made.db.execute(sql`create role rowlock_player login password 'secret'`);
    onTestFinished(async () => void (await made.db.execute(sql`drop role rowlock_player`)));
    const { log, events } = collectLog();
    const { status, body } = await (await asksOf(openStages(url.href, log)))();
    expect([status, body.code]).toEqual([503, 'lab-unavailable']);
    expect(body.detail).toBe(labUnavailable.detail);
    expect(events[0]?.reason).toMatch(/permission denied to create database/);
  });
});
