import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Ledger } from '../../../proof/faults/ledger.ts';
import type { Operation, OperationResult, Span } from '../../../proof/faults/possible.ts';

const pair = { jobId: '1', recruiterId: '7' };
const NOW: Span = { from: 1_000_000, to: 1_000_010 };
const later = (ms: number): Span => ({ from: NOW.from + ms, to: NOW.to + ms });
const claim: Operation = { kind: 'claim', ...pair };
const lease: Operation = { ...claim, leaseSeconds: 60 };
const release = (id: string): Operation => ({ kind: 'release', ...pair, id });
const claimed = (id: string, ends = Infinity): OperationResult => ({ kind: 'claimed', id, ends });
const unknown: OperationResult = { kind: 'unknown', runs: false };
const row = (id: string) => ({ id, ...pair });

/**
 * Returns the promises that the ledger finds broken after these answers. At the end, the table has
 * `rows`.
 */
function broken(
  steps: [Operation, OperationResult, Span?][],
  rows: { id: string }[],
  at = later(1_000),
) {
  const ledger = new Ledger();
  for (const [did, verdict, span = NOW] of steps) ledger.record(did, verdict, span);
  ledger.judgeClaims(
    rows.map(({ id }) => row(id)),
    at,
  );
  return ledger.findings.map(({ promise }) => promise);
}
const LOST = 'acknowledged changes are kept';
const UNASKED = 'only requested changes are made';

describe('the ledger expects that the table has', () => {
  test('each claim that was granted', () => {
    expect(broken([[claim, claimed('5')]], [row('5')])).toEqual([]);
    expect(broken([[claim, claimed('5')]], [])).toEqual([LOST]);
    expect(broken([[claim, claimed('5')]], [row('6')])).toEqual([UNASKED]);
  });

  test('no claim that was released', () => {
    const steps: [Operation, OperationResult][] = [
      [claim, claimed('5')],
      [release('5'), { kind: 'released' }],
    ];
    expect(broken(steps, [])).toEqual([]);
    expect(broken(steps, [row('5')])).toEqual([UNASKED]);
  });

  test('no claim that was never granted', () => {
    expect(broken([], [row('5')])).toEqual([UNASKED]);
    expect(broken([[claim, { kind: 'full' }]], [row('5')])).toEqual([UNASKED]);
  });
});

describe('a lost answer', () => {
  test('to a claim leaves both outcomes possible until a later answer decides', () => {
    expect(broken([[claim, unknown]], [])).toEqual([]);
    expect(broken([[claim, unknown]], [row('5')])).toEqual([]);
    const told: [Operation, OperationResult][] = [
      [claim, unknown],
      [claim, { kind: 'duplicate' }],
    ];
    expect(broken(told, [row('5')])).toEqual([]);
    expect(broken(told, [])).toEqual([LOST]);
    const full: [Operation, OperationResult][] = [
      [claim, unknown],
      [claim, { kind: 'full' }],
    ];
    expect(broken(full, [])).toEqual([]);
    expect(broken(full, [row('5')])).toEqual([UNASKED]);
  });

  test('to a release allows the same claim or no claim in the table, but no new claim', () => {
    const steps: [Operation, OperationResult][] = [
      [claim, claimed('5')],
      [release('5'), unknown],
    ];
    expect(broken(steps, [])).toEqual([]);
    expect(broken(steps, [row('5')])).toEqual([]);
    expect(broken(steps, [row('6')])).toEqual([UNASKED]);
  });

  test('to a claim that still runs allows this claim even after a later answer', () => {
    const full: [Operation, OperationResult][] = [
      [claim, { kind: 'unknown', runs: true }],
      [claim, { kind: 'full' }],
    ];
    expect(broken(full, [row('5')])).toEqual([]);
  });
});

describe('a lease', () => {
  const ends = NOW.from + 60_000;
  test('lasts until its end, and no longer', () => {
    expect(broken([[lease, claimed('5', ends)]], [], later(59_000))).toEqual([LOST]);
    expect(broken([[lease, claimed('5', ends)]], [], later(61_000))).toEqual([]);
    expect(broken([[lease, claimed('5', ends)]], [row('5')], later(61_000))).toEqual([UNASKED]);
  });

  test('ends even if the answer with the lease was lost', () => {
    expect(broken([[lease, unknown]], [row('5')], later(59_000))).toEqual([]);
    expect(broken([[lease, unknown]], [row('5')], later(61_000))).toEqual([UNASKED]);
  });

  test('may have its old or its new end after a renewal whose answer was lost', () => {
    const steps: [Operation, OperationResult][] = [
      [lease, claimed('5', ends)],
      [{ kind: 'renew', ...pair, id: '5', leaseSeconds: 120 }, unknown],
    ];
    expect(broken(steps, [], later(90_000))).toEqual([]);
    expect(broken(steps, [row('5')], later(90_000))).toEqual([]);
    expect(broken(steps, [row('5')], later(121_000))).toEqual([UNASKED]);
  });
});

describe('exactly one finding comes from', () => {
  test.each<[string, [Operation, OperationResult][], string]>([
    [
      'a second granted claim of the same recruiter',
      [
        [claim, claimed('5')],
        [claim, claimed('6')],
      ],
      UNASKED,
    ],
    [
      'the answer "duplicate" to a recruiter without a claim',
      [[claim, { kind: 'duplicate' }]],
      UNASKED,
    ],
    [
      'the answer "full" to a recruiter with a claim',
      [
        [claim, claimed('5')],
        [claim, { kind: 'full' }],
      ],
      LOST,
    ],
    [
      'the answer "gone" to a recruiter with a claim',
      [
        [claim, claimed('5')],
        [release('5'), { kind: 'gone' }],
      ],
      LOST,
    ],
    [
      'the answer "released" to a recruiter without a claim',
      [[release('5'), { kind: 'released' }]],
      LOST,
    ],
  ])('%s', (_, steps, promise) => {
    const ledger = new Ledger();
    for (const [did, verdict] of steps) ledger.record(did, verdict, NOW);
    const [did, verdict] = steps.at(-1) ?? [claim, unknown];
    if (verdict.kind !== 'claimed' && verdict.kind !== 'released') ledger.record(did, verdict, NOW);
    expect(ledger.findings.map((each) => each.promise)).toEqual([promise]);
  });

  test('one claim that is given to two recruiters', () => {
    const ledger = new Ledger();
    ledger.record(claim, claimed('5'), NOW);
    ledger.record({ ...claim, recruiterId: '8' }, claimed('5'), NOW);
    expect(ledger.findings.map((each) => each.promise)).toEqual(['capacity']);
  });
});

describe('a key', () => {
  const answer = { status: 201, body: '{}' };
  const judged = (row: { status: number | null; body: string | null } | undefined) => {
    const ledger = new Ledger();
    ledger.answered('k', answer);
    ledger.judgeKeys(row ? [{ key: 'k', ...row }] : []);
    return ledger.findings.map(({ promise }) => promise);
  };

  test('must be stored with the answer that the client got', () => {
    expect(judged(answer)).toEqual([]);
    expect(judged(undefined)).toEqual([LOST]);
    expect(judged({ ...answer, body: '{ }' })).toEqual([LOST]);
    expect(judged({ status: null, body: null })).toContain('each key has one answer');
  });

  test('must get the same answer each time', () => {
    const ledger = new Ledger();
    for (const body of ['a', 'a', 'b']) ledger.answered('k', { status: 201, body });
    expect(ledger.findings.map(({ promise }) => promise)).toEqual(['each key has one answer']);
  });
});

/**
 * A request of one recruiter about one job. `isAnswered` is true if the answer arrives. `isDone` is
 * true if the request has its effect, even if the answer is lost.
 */
interface Play {
  did: 'claim' | 'lease' | 'release' | 'renew';
  /** True if other recruiters hold all slots. */
  full: boolean;
  isDone: boolean;
  isAnswered: boolean;
  passMs: number;
}
const plays = fc.array(
  fc.record<Play>({
    did: fc.constantFrom('claim', 'lease', 'release', 'renew'),
    full: fc.boolean(),
    isDone: fc.boolean(),
    isAnswered: fc.boolean(),
    passMs: fc.constantFrom(0, 10, 3_000, 70_000),
  }),
  { maxLength: 30 },
);
type Claimed = { id: string; ends: number };
const LEASE_S = 60;

/**
 * Returns the answer to a request, and the recruiter's claim afterwards. A new claim gets `id` and
 * `ends`.
 */
function serve(
  { did, full }: Play,
  live: Claimed | undefined,
  asked: string,
  { id, ends }: Claimed,
): [OperationResult, Claimed | undefined] {
  if (did === 'claim' || did === 'lease') {
    if (live) return [{ kind: 'duplicate' }, live];
    if (full) return [{ kind: 'full' }, undefined];
    const made = { id, ends: did === 'lease' ? ends : Infinity };
    return [{ kind: 'claimed', ...made }, made];
  }
  if (live?.id !== asked) return [{ kind: 'gone' }, live];
  if (did === 'release') return [{ kind: 'released' }, undefined];
  if (live.ends === Infinity) return [{ kind: 'no-lease' }, live];
  return [
    { kind: 'renewed', id: live.id, ends },
    { id: live.id, ends },
  ];
}

const operationFor = (did: Play['did'], id: string): Operation =>
  ({
    claim,
    lease: { ...claim, leaseSeconds: LEASE_S },
    release: release(id),
    renew: { kind: 'renew', ...pair, id, leaseSeconds: LEASE_S } as const,
  })[did];

/**
 * Plays a service that keeps its promises, and records all answers. Returns the remaining claim.
 */
function playOut(steps: Play[], ledger: Ledger) {
  let now = NOW.from;
  let known = '0';
  let held: Claimed | undefined;
  const live = () => (held && held.ends > now ? held : undefined);
  for (const [index, step] of steps.entries()) {
    now += step.passMs;
    const made = { id: String(index + 1), ends: now + 5 + LEASE_S * 1000 };
    const did = operationFor(step.did, known);
    const [verdict, then] = serve(step, live(), known, made);
    if (step.isAnswered || step.isDone) held = then;
    if (step.isAnswered && verdict.kind === 'claimed') known = verdict.id;
    ledger.record(did, step.isAnswered ? verdict : unknown, { from: now, to: now + 10 });
    now += 10;
  }
  return { left: live(), at: { from: now, to: now } };
}

test('the ledger never accuses a good service, whichever answers are lost', () => {
  fc.assert(
    fc.property(plays, (steps) => {
      const ledger = new Ledger();
      const { left, at } = playOut(steps, ledger);
      ledger.judgeClaims(left ? [row(left.id)] : [], at);
      expect(ledger.findings).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('without leases, the ledger finds a claim that is missing in the table or added to it', () => {
  const forGood = { claim: 'claim', lease: 'claim', release: 'release', renew: 'release' } as const;
  const told: Play = { did: 'claim', full: true, isDone: true, isAnswered: true, passMs: 0 };
  fc.assert(
    fc.property(plays, (steps) => {
      const ledger = new Ledger();
      const played = steps.map((step) => ({ ...step, did: forGood[step.did] }));
      const { left, at } = playOut([...played, told], ledger);
      ledger.judgeClaims(left ? [] : [row('999')], at);
      expect(ledger.findings).toHaveLength(1);
    }),
    { numRuns: 2_000 },
  );
});
