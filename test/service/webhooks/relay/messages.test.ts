import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  messageOf,
  messageTypesOf,
  type RelayedEvent,
  type SlotChange,
} from '../../../../src/service/webhooks/relay/messages.ts';

const change = (
  kind: SlotChange['kind'],
  claimed: number,
  capacity = 4,
  capacityBefore: number | null = capacity,
) => messageTypesOf({ kind, claimed, capacity, capacityBefore });

test.each([
  ['claimed', 1, 4, 4, ['claim.created']],
  ['claimed', 4, 4, 4, ['claim.created', 'job.full']],
  ['released', 3, 4, 4, ['claim.released', 'job.open']],
  ['released', 2, 4, 4, ['claim.released']],
  ['expired', 3, 4, 4, ['claim.expired', 'job.open']],
  ['resized', 4, 4, 5, ['job.full']],
  ['resized', 4, 5, 4, ['job.open']],
  ['resized', 3, 5, 4, []],
  ['offered', 4, 4, 4, ['slot.offered', 'job.full']],
  ['offered', 3, 4, 4, ['slot.offered']],
  ['accepted', 4, 4, 4, ['offer.accepted']],
  ['declined', 3, 4, 4, ['offer.declined', 'job.open']],
  ['lapsed', 3, 4, 4, ['offer.lapsed', 'job.open']],
  ['joined', 4, 4, 4, ['waitlist.joined']],
  ['left', 4, 4, 4, ['waitlist.left']],
  ['renewed', 4, 4, 4, []],
  ['posted', 0, 4, 4, []],
  ['changed', 4, 4, 4, []],
  ['removed', 0, 4, 4, []],
  // Nobody knows the old capacity.
  ['resized', 4, 4, null, ['job.full']],
  ['resized', 3, 4, null, ['job.open']],
  // The event still counts an expired claim whose slot somebody has claimed again.
  ['claimed', 5, 4, 4, ['claim.created']],
  ['expired', 4, 4, 4, ['claim.expired']],
] as const)(
  '%s, then %i of %i slots claimed (before: %s slots)',
  (kind, claimed, capacity, before, types) => {
    expect(change(kind, claimed, capacity, before)).toEqual(types);
  },
);

type Act = { kind: SlotChange['kind']; to: number };
const act = fc.oneof(
  fc
    .constantFrom(
      ...(['claimed', 'released', 'expired', 'renewed', 'changed'] as const),
      ...(['joined', 'offered', 'accepted', 'declined', 'lapsed'] as const),
    )
    .map((kind) => ({ kind, to: 0 })),
  fc.integer({ min: 1, max: 6 }).map((to) => ({ kind: 'resized', to })),
) as fc.Arbitrary<Act>;

const added: Partial<Record<SlotChange['kind'], number>> = {
  claimed: 1,
  released: -1,
  expired: -1,
  offered: 1,
  declined: -1,
  lapsed: -1,
};

/** Returns the state of a job after a change, with the capacity before the change. */
function after(state: { capacity: number; claimed: number }, { kind, to }: Act) {
  const capacity = kind === 'resized' ? to : state.capacity;
  const claimed = state.claimed + (added[kind] ?? 0);
  return { kind, capacityBefore: state.capacity, capacity, claimed };
}

test('a receiver that follows job.full and job.open knows whether the job is full', () => {
  const statement = fc.property(fc.integer({ min: 1, max: 4 }), fc.array(act), (first, acts) => {
    let state = { capacity: first, claimed: 0 };
    let isKnownAsFull = false;
    for (const each of acts) {
      // Nobody releases a claim that does not exist.
      if (added[each.kind] === -1 && state.claimed === 0) continue;
      const change = after(state, each);
      for (const type of messageTypesOf(change).filter((each) => each.startsWith('job.'))) {
        // Each message reports a change.
        expect(type).toBe(isKnownAsFull ? 'job.open' : 'job.full');
        isKnownAsFull = !isKnownAsFull;
      }
      state = change;
      expect(isKnownAsFull).toBe(state.claimed >= state.capacity);
    }
  });
  fc.assert(statement, { numRuns: 1_000 });
});

const event: RelayedEvent = {
  kind: 'claimed',
  number: 7,
  at: new Date('2026-11-21T09:00:00Z'),
  capacityBefore: 4,
  capacity: 4,
  claimed: 4,
  job: { id: 3n, role: 'Gardener' },
  company: { id: 1n, name: 'Harbour' },
  recruiter: { id: 2n ** 60n, name: 'Amara' },
  claim: { id: 9n, expiresAt: null },
  waiting: 0,
};

test('a message about a line says who did it, and how many wait', () => {
  const joined = { ...event, kind: 'joined', claim: null, waiting: 3 } as const;
  expect(JSON.parse(messageOf('waitlist.joined', joined)).data).toEqual({
    number: 7,
    job: { id: 3, role: 'Gardener', company: { id: 1, name: 'Harbour' } },
    line: { recruiter: { id: String(2n ** 60n), name: 'Amara' }, waiting: 3 },
    slots: { capacity: 4, claimed: 4, remaining: 0 },
  });
});

test('a message has everything that a receiver needs', () => {
  const job = { id: 3, role: 'Gardener', company: { id: 1, name: 'Harbour' } };
  const slots = { capacity: 4, claimed: 4, remaining: 0 };
  const timestamp = '2026-11-21T09:00:00.000Z';
  expect(JSON.parse(messageOf('claim.created', event))).toEqual({
    type: 'claim.created',
    timestamp,
    data: {
      number: 7,
      job,
      claim: { id: 9, recruiter: { id: String(2n ** 60n), name: 'Amara' }, expiresAt: null },
      slots,
    },
  });
  for (const type of ['claim.released', 'claim.expired'] as const) {
    const created = messageOf('claim.created', event);
    expect(messageOf(type, event)).toBe(created.replace('claim.created', type));
  }
  expect(JSON.parse(messageOf('job.full', event))).toEqual({
    type: 'job.full',
    timestamp,
    data: { number: 7, job, slots },
  });
});
