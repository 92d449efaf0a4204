import { expect, test } from 'vitest';
import { HeldClaims } from '../../src/client/held.ts';
import type { HeldClaim, Id } from '../../src/client/index.ts';

const JOB = 5;
const claimOf = (id: Id, jobId: Id = JOB): HeldClaim => ({
  ...{ id, jobId, recruiterId: 7, expiresAt: null },
});
const told = (...claims: HeldClaim[]) => new Map(claims.map((claim) => [claim.id, claim]));

/** Ends as many claims on other jobs as a page may see in some days. */
function endManyOthers(held: HeldClaims) {
  for (let id = 1_000; id < 3_000; id++) {
    held.begin(claimOf(id, id));
    held.end(claimOf(id, id));
  }
}

test('only the claims that ended last are remembered', () => {
  const held = new HeldClaims();
  held.end(claimOf(1));
  held.tell(told(claimOf(1)), [1]);
  expect(held.on(JOB)).toBeUndefined();
  endManyOthers(held);
  held.tell(told(claimOf(1), claimOf(2_999, 2_999)), []);
  expect(held.on(2_999)).toBeUndefined();
  // No answer and no event of the claim comes so late. The test sees by it that the id is forgotten.
  expect(held.on(JOB)).toEqual(claimOf(1));
});

const CLAIM = claimOf(1);
const WAYS: [string, (held: HeldClaims) => void][] = [
  [
    'told, and then released',
    (held) => {
      held.tell(told(CLAIM), [1]);
      held.end(CLAIM);
    },
  ],
  [
    'granted, and then released',
    (held) => {
      held.begin(CLAIM);
      held.end(CLAIM);
    },
  ],
  [
    'granted, and told only at its end',
    (held) => {
      held.begin(CLAIM);
      held.tell(told(), [1]);
    },
  ],
  [
    'told with its end, and granted only then',
    (held) => {
      held.tell(told(), [1]);
      held.begin(CLAIM);
    },
  ],
];

test.for(WAYS)('a claim that was %s stays ended when its end is forgotten', ([, end]) => {
  const held = new HeldClaims();
  end(held);
  endManyOthers(held);
  expect(held.on(JOB)).toBeUndefined();
});

test('a claim ended meanwhile does not end the newer claim on its job', () => {
  const held = new HeldClaims();
  held.begin(claimOf(2));
  held.end(claimOf(1));
  held.tell(told(claimOf(1)), [1]);
  expect(held.on(JOB)).toEqual(claimOf(2));
  held.tell(told(claimOf(2)), [1, 2]);
  held.end(claimOf(1));
  expect(held.on(JOB)).toEqual(claimOf(2));
});
