import { expect, test } from 'vitest';
import { HeldClaims } from '../../src/client/held.ts';
import type { HeldClaim, Id } from '../../src/client/index.ts';

const JOB = 5;
const claimOf = (id: Id, jobId: Id = JOB): HeldClaim => ({
  ...{ id, jobId, recruiterId: 7, expiresAt: null },
});
const told = (...claims: HeldClaim[]) => new Map(claims.map((claim) => [claim.id, claim]));

/** Ends 2,000 claims on other jobs. A page may see so many ended claims in some days. */
function endManyOthers(held: HeldClaims) {
  for (let id = 1_000; id < 3_000; id++) {
    held.begin(claimOf(id, id));
    held.end(claimOf(id, id));
  }
}

test('only the claims that ended last are remembered as ended', () => {
  const held = new HeldClaims();
  held.end(claimOf(1));
  held.tell(told(claimOf(1)), [1]);
  expect(held.on(JOB)).toBeUndefined();
  endManyOthers(held);
  held.tell(told(claimOf(1), claimOf(2_999, 2_999)), []);
  expect(held.on(2_999)).toBeUndefined();
  // In a real page, no event of the claim comes so late. Here the event shows that the client has
  // forgotten the id.
  expect(held.on(JOB)).toEqual(claimOf(1));
});

const CLAIM = claimOf(1);
const WAYS: [string, (held: HeldClaims) => void][] = [
  [
    'sent by the stream, and then released',
    (held) => {
      held.tell(told(CLAIM), [1]);
      held.end(CLAIM);
    },
  ],
  [
    'granted by an answer, and then released',
    (held) => {
      held.begin(CLAIM);
      held.end(CLAIM);
    },
  ],
  [
    'granted by an answer, and sent by the stream only at its end',
    (held) => {
      held.begin(CLAIM);
      held.tell(told(), [1]);
    },
  ],
  [
    'ended in the stream, and granted by an answer only then',
    (held) => {
      held.tell(told(), [1]);
      held.begin(CLAIM);
    },
  ],
];

test.for(WAYS)('a claim that was %s stays ended after its id is forgotten', ([, end]) => {
  const held = new HeldClaims();
  end(held);
  endManyOthers(held);
  expect(held.on(JOB)).toBeUndefined();
});

test('the end of an older claim does not end the newer claim on the same job', () => {
  const held = new HeldClaims();
  held.begin(claimOf(2));
  held.end(claimOf(1));
  held.tell(told(claimOf(1)), [1]);
  expect(held.on(JOB)).toEqual(claimOf(2));
  held.tell(told(claimOf(2)), [1, 2]);
  held.end(claimOf(1));
  expect(held.on(JOB)).toEqual(claimOf(2));
});
