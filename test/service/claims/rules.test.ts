import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, slotsOf } from '../../../src/service/claims/rules.ts';

const capacities = fc.integer({ min: 1, max: 50 });
const counts = fc.integer({ min: 0, max: 60 });

test('a recruiter who holds the job gets `duplicate`, whether the job is full or not', () => {
  fc.assert(
    fc.property(
      capacities,
      counts,
      (capacity, claimed) => decide({ capacity }, { claimed, held: true }).kind === 'duplicate',
    ),
  );
});

test('a recruiter who does not hold the job gets a slot exactly if a slot is free', () => {
  fc.assert(
    fc.property(capacities, counts, (capacity, claimed) => {
      const { kind } = decide({ capacity }, { claimed, held: false });
      return kind === (claimed < capacity ? 'granted' : 'full');
    }),
  );
});

test('after any sequence of requests, a job has no more holders than slots, and no recruiter holds two slots', () => {
  const requests = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 200 });
  fc.assert(
    fc.property(capacities, requests, (capacity, recruiters) => {
      const holders: number[] = [];
      for (const recruiter of recruiters) {
        const held = holders.includes(recruiter);
        const { kind } = decide({ capacity }, { claimed: holders.length, held });
        if (kind === 'granted') holders.push(recruiter);
      }
      expect(holders.length).toBe(Math.min(capacity, new Set(recruiters).size));
      expect(new Set(holders).size).toBe(holders.length);
    }),
  );
});

test('the numbers of slots in a decision add up, and a grant counts the new claim', () => {
  fc.assert(
    fc.property(capacities, counts, fc.boolean(), (capacity, claimed, held) => {
      const { kind, slots } = decide({ capacity }, { claimed, held });
      expect(slots.claimed).toBe(claimed + (kind === 'granted' ? 1 : 0));
      expect(slots).toEqual(slotsOf(capacity, slots.claimed));
      expect(slots.remaining).toBe(Math.max(0, capacity - slots.claimed));
    }),
  );
});

test('a decision does not change its arguments', () => {
  const job = Object.freeze({ capacity: 2 });
  expect(decide(job, Object.freeze({ claimed: 1, held: false })).kind).toBe('granted');
});
