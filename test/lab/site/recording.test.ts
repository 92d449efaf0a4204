import { afterEach, expect, test } from 'vitest';
import { type Addressed, findStrategy } from '../../../src/lab/chapters/index.ts';
import { playOrders } from '../../../src/lab/explorations/play-orders.ts';
import { ordersIn, stateAfter, unpack } from '../../../src/lab/pages/site/replay.ts';
import { play } from '../../../src/lab/play/play.ts';
import { type PlayTree, playAll } from '../../../src/lab/play/play-all.ts';
import { checkRecordings } from '../../../src/lab/site/check.ts';
import { record } from '../../../src/lab/site/record.ts';
import { pack, Recorder, type Recording } from '../../../src/lab/site/recording.ts';
import { knownVerdicts } from '../../../src/lab/syllabus/known-verdicts.ts';
import { makeStage } from '../../support/stage.ts';

const stage = await makeStage();
const stop = new AbortController().signal;

function found(address: string, name: string) {
  const addressed = findStrategy(address);
  if (typeof addressed === 'string') throw new Error(addressed);
  const situation = addressed.chapter
    .situationsOf(addressed.strategy)
    .find((each) => each.name === name);
  if (!situation) throw new Error(`${address} has no situation ${name}`);
  return { ...addressed, situation };
}

/** Returns the schedules of all states of a tree. */
const schedulesOf = ({ state, next }: PlayTree): string[][] => [
  state.told.schedule,
  ...[...next.values()].flatMap(schedulesOf),
];

function recordingOf(tree: PlayTree, situation: string): Recording {
  const recorder = new Recorder();
  recorder.add(situation, tree, { isComplete: true });
  return recorder.recording([]);
}

// In `crash-together`, a later step changes the words of an earlier step.
const sampled = [
  { address: 'claims/row-lock', name: 'last-slot', only: undefined },
  { address: 'retries/production', name: 'crash-together', only: [['1', '2', 'k1']] },
];
test.each(sampled)('a page gets every state of $address as a server gives it', async (sample) => {
  const { address, name, only } = sample;
  const asked = found(address, name);
  const tree = await playAll(stage, asked, { only });
  const recording = (await unpack(pack(recordingOf(tree, name)))) as Recording;
  for (const schedule of schedulesOf(tree)) {
    const live = await play(stage, { ...asked, sessions: 2, schedule });
    expect(stateAfter(recording, name, schedule)).toEqual(JSON.parse(JSON.stringify(live)));
  }
});

test('a recording has the orders that the explorer plays', async () => {
  const asked = found('claims/transaction', 'last-slot');
  const recording = recordingOf(await playAll(stage, asked), 'last-slot');
  const { map } = await playOrders(stage, asked, asked.situation);
  expect(ordersIn(recording, 'last-slot', asked.chapter.faults)).toEqual(map.orders);
  expect(map.orders).toHaveLength(20);
});

test('the first step that is not recorded is named by its number', async () => {
  const asked = found('claims/naive', 'last-slot');
  const recording = recordingOf(await playAll(stage, asked, { only: [['1', '2']] }), 'last-slot');
  expect(stateAfter(recording, 'last-slot', ['1', '1'])).toBe(2);
  expect(stateAfter(recording, 'last-slot', ['1', '2', '9'])).toBe(3);
  expect(stateAfter(recording, 'last-slot', ['1', '2', '1', '1', '2', '2'])).toMatchObject({
    isOver: true,
    verdict: 'oversold: 5 claims, 4 slots',
  });
});

const addressed = (address: string) => findStrategy(address) as Addressed;
const options = { texts: new Map<string, string>(), stop, onSchedule: () => {} };
const proof = knownVerdicts['claims/naive']?.situations['last-slot'];
const schedules = proof?.schedules ?? 0;
afterEach(() => {
  if (proof) proof.schedules = schedules;
});

test('other numbers of schedules than in the verdicts are an error', async () => {
  if (proof) proof.schedules = schedules + 1;
  await expect(record([stage], addressed('claims/naive'), options)).rejects.toThrow(
    'claims/naive in last-slot has 20 schedules, and verdicts.generated.json says 21.',
  );
});

test('a recording that is not the recording of the code is found', async () => {
  const asked = found('claims/naive', 'last-slot');
  const recording = recordingOf(await playAll(stage, asked), 'last-slot');
  const all = new Map([['claims/naive', recording]]);
  const check = { schedules: 30, stop, onSchedule: () => {} };
  expect(await checkRecordings(stage, all, check)).toBeUndefined();
  const text = JSON.stringify(recording);
  const changed = JSON.parse(
    text.replaceAll('for each statement', '').replaceAll('claimed 3', 'claimed 2'),
  );
  expect(JSON.stringify(changed)).not.toBe(text);
  const wrong = new Map([['claims/naive', changed as Recording]]);
  expect(await checkRecordings(stage, wrong, check)).toMatch(
    /^claims\/naive [\d,]+ --situation last-slot$/,
  );
});
