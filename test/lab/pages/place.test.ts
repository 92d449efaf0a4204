import { describe, expect, test } from 'vitest';
import { HOME, hrefOf, readPlace } from '../../src/web/lab/place.ts';

describe('the address of a place in the lab', () => {
  test.each([
    ['?strategy=claims/naive', HOME],
    [
      '?strategy=claims/lease&schedule=1,t,2',
      { ...HOME, strategy: 'claims/lease', schedule: ['1', 't', '2'] },
    ],
    [
      '?strategy=queue/skip-locked&situation=crash&schedule=1,k1,l2,.2,d2',
      {
        ...HOME,
        strategy: 'queue/skip-locked',
        situation: 'crash',
        schedule: ['1', 'k1', 'l2', '.2', 'd2'],
      },
    ],
    [
      '?strategy=row-lock&view=explore&situation=two-slots&sessions=3',
      { ...HOME, view: 'explore', strategy: 'row-lock', situation: 'two-slots', sessions: 3 },
    ],
    ['?strategy=claims/naive&view=explore&step=0', { ...HOME, view: 'explore', step: 0 }],
    [
      '?strategy=claims/naive&view=race&beside=&recruiters=50&rounds=1',
      { ...HOME, view: 'race', beside: '', recruiters: 50, rounds: 1 },
    ],
    ['?strategy=claims/naive&lesson=2', { ...HOME, lesson: 2 }],
  ] as const)('is read from %s and written to it', (address, place) => {
    expect(readPlace(address)).toEqual(place);
    expect(hrefOf({ ...place, schedule: [...place.schedule] })).toBe(address);
  });

  test.each([
    ['?view=lessons', 0],
    ['?view=lessons&lesson=4', 4],
  ])('names a lesson, and nothing else: %s', (address, lesson) => {
    expect(readPlace(address)).toEqual({ ...HOME, view: 'lessons', lesson });
    expect(hrefOf(readPlace(address))).toBe(address);
  });

  test('leads to the lessons if it has neither a view nor a strategy, and takes the third recruiter from the schedule', () => {
    for (const address of ['', '?view=moon'])
      expect(readPlace(address)).toEqual({ ...HOME, view: 'lessons' });
    expect(readPlace('?strategy=claims/naive')).toEqual(HOME);
    expect(readPlace('?schedule=1,3').sessions).toBe(3);
    expect(readPlace('?schedule=1,k3').sessions).toBe(3);
  });

  test('an old permalink names the situation as a scenario', () => {
    expect(readPlace('?strategy=naive&scenario=two-slots')).toEqual({
      ...HOME,
      strategy: 'naive',
      situation: 'two-slots',
    });
  });

  test('an old permalink names production by its old name', () => {
    expect(readPlace('?strategy=group-commit&beside=group-commit')).toEqual({
      ...HOME,
      strategy: 'production',
      beside: 'production',
    });
  });
});
