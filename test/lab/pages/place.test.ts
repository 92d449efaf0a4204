import { describe, expect, test } from 'vitest';
import { HOME, hrefOf, readPlace } from '../../../src/lab/pages/place.ts';

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
  ] as const)('%s is read as a place, and written as the same address', (address, place) => {
    expect(readPlace(address)).toEqual(place);
    expect(hrefOf({ ...place, schedule: [...place.schedule] })).toBe(address);
  });

  test.each([
    ['?view=lessons', 0],
    ['?view=lessons&lesson=4', 4],
  ])('%s leads to the lessons, and has no other values', (address, lesson) => {
    expect(readPlace(address)).toEqual({ ...HOME, view: 'lessons', lesson });
    expect(hrefOf(readPlace(address))).toBe(address);
  });

  test('leads to the lessons if it has no view and no strategy, and has three sessions if it has a step of S3', () => {
    for (const address of ['', '?view=moon'])
      expect(readPlace(address)).toEqual({ ...HOME, view: 'lessons' });
    expect(readPlace('?strategy=claims/naive')).toEqual(HOME);
    expect(readPlace('?schedule=1,3').sessions).toBe(3);
    expect(readPlace('?schedule=1,k3').sessions).toBe(3);
  });

  test('the parameter scenario of an old permalink is read as the situation', () => {
    expect(readPlace('?strategy=naive&scenario=two-slots')).toEqual({
      ...HOME,
      strategy: 'naive',
      situation: 'two-slots',
    });
  });

  test('the strategy group-commit of an old permalink is read as production', () => {
    expect(readPlace('?strategy=group-commit&beside=group-commit')).toEqual({
      ...HOME,
      strategy: 'production',
      beside: 'production',
    });
  });
});
