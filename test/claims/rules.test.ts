import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, slotsOf } from '../../src/claims/rules.ts';

const capacities = fc.integer({ min: 1, max: 50 });
const recruiterIds = fc.bigInt({ min: 1n, max: 60n });
const holderLists = fc
  .uniqueArray(recruiterIds, { maxLength: 60 })
  .map((ids) => ids.map((recruiterId) => ({ recruiterId })));

test('a holder is told so, whether the job is full or not', () => {
  fc.assert(
    fc.property(capacities, holderLists, fc.nat(), (capacity, holders, pick) => {
      fc.pre(holders.length > 0);
      const holder = holders[pick % holders.length];
      if (!holder) return false;
      return decide({ capacity }, holders, holder.recruiterId).kind === 'duplicate';
    }),
  );
});

test('who does not hold the job gets a slot exactly when one is free', () => {
  fc.assert(
    fc.property(capacities, holderLists, (capacity, holders) => {
      const { kind } = decide({ capacity }, holders, 61n);
      return kind === (holders.length < capacity ? 'granted' : 'full');
    }),
  );
});

test('any sequence of requests leaves at most capacity holders, each of them once', () => {
  fc.assert(
    fc.property(capacities, fc.array(recruiterIds, { maxLength: 200 }), (capacity, requests) => {
      const holders: { recruiterId: bigint }[] = [];
      for (const recruiterId of requests)
        if (decide({ capacity }, holders, recruiterId).kind === 'granted')
          holders.push({ recruiterId });
      const distinct = new Set(holders.map((holder) => holder.recruiterId));
      expect(holders.length).toBe(Math.min(capacity, new Set(requests).size));
      expect(distinct.size).toBe(holders.length);
    }),
  );
});

test('the slots of a decision add up, and a grant counts the new claim', () => {
  fc.assert(
    fc.property(capacities, holderLists, recruiterIds, (capacity, holders, recruiterId) => {
      const { kind, slots } = decide({ capacity }, holders, recruiterId);
      expect(slots.claimed).toBe(holders.length + (kind === 'granted' ? 1 : 0));
      expect(slots).toEqual(slotsOf(capacity, slots.claimed));
      expect(slots.remaining).toBe(Math.max(0, capacity - slots.claimed));
    }),
  );
});

test('a decision changes none of what it was given', () => {
  const holders = Object.freeze([Object.freeze({ recruiterId: 1n })]);
  expect(decide(Object.freeze({ capacity: 2 }), holders, 2n).kind).toBe('granted');
});
