import { beforeAll, describe, expect, test } from 'vitest';
import type { PlayState } from '../../../src/lab/play/play.ts';
import type { SyllabusEntry } from '../../../src/lab/syllabus/syllabus.ts';
import { collectLog, makeApp, makeLab } from '../../support/app.ts';
import { setForStores } from '../../support/stores.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;
beforeAll(async () => {
  made = await makeApp();
  made.app.route('/lab', makeLab(made));
});

const play = (strategy: string, situation: string, schedule: string) =>
  made.call('POST', '/lab/plays', { strategy, situation, schedule: schedule.split(',') });

const missingIn = async () => {
  const { body } = await made.call('GET', '/lab/strategies');
  const missing = (body as SyllabusEntry[]).filter((each) => each.missing !== null);
  return missing.map(({ chapter, name }) => `${chapter}/${name}`);
};

describe('a lab with Redis and etcd', { tags: ['redis', 'etcd'] }, () => {
  test('can run every strategy', async () => {
    expect(await missingIn()).toEqual([]);
  });

  test('plays a strategy with Redis', async () => {
    const { status, body } = await play('retries/set-nx', 'early', '1,k1');
    expect(status).toBe(200);
    const { verdict, told } = body as PlayState;
    expect(verdict).toMatch(/^zombie, untrue: never charged,/);
    expect(told.transcript).toContain('redis: set k taken NX EX 86400');
  });

  test('plays a strategy with etcd', async () => {
    const { status, body } = await play('queue/session-lock', 'calm', '1,1,2,2');
    expect(status).toBe(200);
    expect((body as PlayState).told.endings).toEqual([null, 'lost']);
  });

  test('explores a strategy with Redis', async () => {
    const asked = 'strategy=retries/set-nx&situation=early';
    const response = await made.app.request(`/lab/explorations?${asked}`);
    expect(await response.text()).toMatch(/event: done\n.*"schedules":10,.*"zombie":4/);
  });
});

describe('a lab without Redis and etcd', () => {
  test('names the strategies that it cannot run, and refuses to play them', async () => {
    await setForStores('REDIS_SERVER_PATH', '/nowhere/redis-server');
    expect(await missingIn()).toEqual([
      'queue/session-lock',
      'queue/session-lock-token',
      'queue/session-lock-id',
      'retries/set-nx',
      'retries/set-nx-answer',
    ]);
    const { status, body } = await play('retries/set-nx', 'alone', '1');
    expect([status, body]).toMatchObject([
      503,
      {
        code: 'lab-unavailable',
        detail:
          'There is no Redis here: no program "/nowhere/redis-server". Install it, or set ' +
          'REDIS_SERVER_PATH or REDIS_URL.',
      },
    ]);
  });

  test('logs at its start which stores are missing, and which strategies it leaves out', async () => {
    const { log, requests } = collectLog();
    makeLab(made, log);
    expect(requests).toMatchObject([
      { event: 'the lab lacks a store', reason: expect.stringMatching(/^There is no etcd here: /) },
      {
        event: 'the lab lacks a store',
        reason: expect.stringMatching(/Left out: retries\/set-nx, retries\/set-nx-answer\.$/),
      },
    ]);
  });

  test('still plays a strategy that needs no store', async () => {
    expect((await play('retries/none', 'alone', '1,k1')).status).toBe(200);
  });
});

describe('a lab whose store does not answer', () => {
  test.each([
    ['REDIS_URL', 'redis://127.0.0.1:1', 'retries/set-nx'],
    ['ETCD_URL', 'http://127.0.0.1:1', 'queue/session-lock'],
  ])('at the address in %s reveals no address to callers', async (name, url, strategy) => {
    await setForStores(name, url);
    const { status, body } = await play(strategy, 'alone', '1,k1');
    expect([status, body]).toMatchObject([
      503,
      { code: 'busy', detail: 'The lab cannot use Redis or etcd at the moment. Try again.' },
    ]);
  });
});
