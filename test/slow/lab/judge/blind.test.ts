import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { explore, hasAny } from '../../../../src/explorer/explore.ts';
import { sessionsIn } from '../../../../src/lab/chapter.ts';
import { chapters } from '../../../../src/lab/chapters/index.ts';
import { loadStrategy } from '../../../../src/lab/judge/load-strategy.ts';
import { blindFolder, judge } from '../../../support/judge.ts';
import { makeStage } from '../../../support/stage.ts';

/**
 * Wrong strategies that somebody wrote without knowing the situations. Each row has a file, a
 * situation and the fault there. The fourth value is the number of sessions, if it is not two.
 */
const wrong: [string, string, string, number?][] = [
  ['claims-capacity-before-lock', 'one-more', 'unsold'],
  ['claims-counts-a-page', 'twelve-slots', 'oversold'],
  ['claims-first-free-slot-or-full', 'two-slots', 'unsold'],
  ['claims-goes-on-without-lock', 'last-slot', 'oversold'],
  ['claims-in-flight-in-memory', 'last-slot', 'oversold'],
  ['claims-isolation-of-the-next', 'last-slot', 'oversold'],
  ['claims-key-share-then-upgrade', 'last-slot', 'oversold'],
  ['claims-leased-claims-are-free', 'in-life', 'oversold'],
  ['claims-left-join-counts-nobody', 'first-slot', 'unsold'],
  ['claims-lock-in-unused-cte', 'last-slot', 'oversold'],
  ['claims-lock-of-32-bits', 'in-life', 'unsold'],
  ['claims-lock-table-row-exclusive', 'last-slot', 'oversold'],
  ['claims-locks-only-last-slot', 'two-slots', 'oversold', 3],
  ['claims-one-slot-too-many', 'last-slot', 'oversold'],
  ['claims-one-space-of-numbers', 'two-jobs', 'deadlock'],
  ['claims-retry-keeps-decision', 'last-slot', 'oversold'],
  ['claims-savepoint-drops-lock', 'last-slot', 'oversold'],
  ['claims-slot-by-count', 'freed', 'unsold'],
  ['claims-slot-collision-is-duplicate', 'last-slot', 'untrue'],
  ['claims-trims-the-newest', 'last-slot', 'oversold'],
  ['claims-version-after-count', 'last-slot', 'oversold'],
  ['claims-version-unchecked', 'last-slot', 'oversold'],
  ['queue-done-before-sending', 'alone', 'lost'],
  ['queue-done-tasks-again', 'alone', 'overwritten'],
  ['queue-fails-a-running-task', 'crash-and-slow', 'untrue'],
  ['queue-id-of-the-attempt', 'alone', 'twice'],
  ['queue-lease-begins-with-heartbeat', 'alone', 'stuck'],
  ['queue-lock-ends-with-the-select', 'calm', 'twice'],
  ['queue-locked-is-idle', 'two-tasks', 'idle'],
  ['queue-lost-but-committed', 'slow', 'twice'],
  ['queue-outbox-then-finish', 'alone', 'twice'],
  ['queue-permit-of-the-dead', 'alone', 'stuck'],
  ['queue-reads-the-attempt-again', 'slow', 'overwritten'],
  ['queue-sends-in-each-try', 'calm', 'twice'],
  ['retries-charges-in-each-try', 'two-at-once', 'twice'],
  ['retries-forgets-when-done', 'alone', 'twice'],
  ['retries-ignores-the-conflict', 'two-at-once', 'twice'],
  ['retries-lease-in-second-statement', 'alone', 'zombie'],
  ['retries-locked-looks-new', 'two-at-once', 'twice'],
  ['retries-receipt-after-commit', 'alone', 'twice'],
  ['retries-running-stays-in-memory', 'alone', 'stuck'],
];

/** No situation shows what is wrong here: nobody asks for a lease. */
const notFound = ['claims-forgets-the-lease'];

/** The judge refuses these files with one line. */
const refused: [string, RegExp][] = [
  ['claims-insert-on-db', /db was used inside a transaction of db/],
  ['retries-new-key-for-each-attempt', /ran differently when it was played again/],
];

test('every file is tried', () => {
  const tried = [...wrong.map(([name]) => name), ...notFound, ...refused.map(([name]) => name)];
  const files = readdirSync(path.join(blindFolder, 'wrong'));
  expect(tried.map((name) => `${name}.ts`).sort()).toEqual(files.sort());
});

describe.each(wrong)('%s', (name, situationName, fault, sessions = 2) => {
  test(`has the fault ${fault} in ${situationName}`, async () => {
    const { chapter, strategy, situation } = await load(name, situationName);
    const trial = chapter.trial(strategy, situation, sessionsIn(situation, sessions));
    // Some of these strategies leave a session busy, so each gets its own stage.
    const found = await explore(await makeStage(), trial, {
      leavesOutCommuting: true,
      endsAfter: hasAny([fault]),
      most: 500,
      endsAtDivergence: sessions > 2,
    });
    expect(Object.keys(found.faults)).toContain(fault);
  });
});

test.each(refused)('%s is refused', async (name, line) => {
  const [chapter = ''] = name.split('-');
  const { ended, stdout, stderr } = judge(
    ...[path.join(blindFolder, 'wrong', `${name}.ts`), '--chapter', chapter],
  );
  expect((await ended).code).toBe(2);
  expect(`${stdout()}${stderr()}`).toMatch(line);
});

async function load(name: string, situationName: string) {
  const chapter = chapters.find((each) => name.startsWith(each.name));
  const { strategy } = await loadStrategy(chapter, path.join(blindFolder, 'wrong', `${name}.ts`));
  const situation = chapter?.situationsOf(strategy).find((each) => each.name === situationName);
  if (!chapter || !situation) throw new Error(`${name} has no situation ${situationName}`);
  return { chapter, strategy, situation };
}
