import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Listener } from '../../src/lab/listener.ts';
import { labBusy, Refusal } from '../../src/lab/problems.ts';
import { progressOf, type Run, Runs, type ScheduleNews } from '../../src/lab/runs.ts';
import type { TurnsLimits } from '../../src/platform/waiting/turns.ts';
import { collectLog } from '../support/app.ts';

interface CountNews extends ScheduleNews<number> {
  step: number;
}
interface Started {
  run: Run<CountNews>;
  end: (done: number | undefined) => void;
  fail: (error: unknown) => void;
}

/**
 * Makes runs that go on until the test ends them. `started` has the runs in the order in which they
 * began.
 */
function makeRuns(turns?: TurnsLimits) {
  const { log, events } = collectLog();
  const stopping = new AbortController();
  const isLasting = (done: number) => done > 0;
  const explain = (error: unknown) => (error === 'expected' ? 'In words.' : undefined);
  const kind = { failure: 'a count failed', isLasting, explain };
  const runs = new Runs<CountNews>({ log, stop: stopping.signal, ...(turns && { turns }) }, kind);
  const started: Started[] = [];
  const work = (run: Run<CountNews>) =>
    new Promise<number | undefined>((end, fail) => started.push({ run, end, fail }));
  const listen = (key: string, caller = key) => runs.listen({ key, caller, work });
  const begun = (index: number) => started[index] ?? expect.fail(`run ${index} has not begun`);
  return { listen, follow: (key: string) => follow(listen(key)), started, begun, stopping, events };
}

/** Makes a listener that reads all events. `told` has the events, such as `queued {"place":1}`. */
function follow(listener: Listener | 'full') {
  if (listener === 'full') throw new Error('too many listen or wait');
  const told: string[] = [];
  const read = async () => {
    for await (const chunk of listener.chunks())
      told.push(String(chunk).trim().replace('event: ', '').replace('\ndata:', ''));
  };
  return { told, ended: read(), leave: () => listener.leave() };
}

/** Lets everything happen that needs no time. */
const settle = () => new Promise(setImmediate);

describe('callers with the same key', () => {
  test('share one run, and all callers receive its result', async () => {
    const { follow, started, begun } = makeRuns();
    const [one, other] = [follow('a'), follow('a')];
    await settle();
    begun(0).end(-1);
    await Promise.all([one.ended, other.ended]);
    expect(started).toHaveLength(1);
    expect([one.told, other.told]).toEqual([['done -1'], ['done -1']]);
  });

  test('get the earlier news, except replaced news', async () => {
    const { follow, begun } = makeRuns();
    follow('a');
    const early = follow('b');
    await settle();
    begun(0).end(-1);
    await settle();
    const { run, end } = begun(1);
    run.tellLatest('step', 1);
    run.tell('step', 2);
    const late = follow('b');
    end(-1);
    await Promise.all([early.ended, late.ended]);
    expect(early.told).toEqual(['queued {"place":1}', 'step 1', 'step 2', 'done -1']);
    expect(late.told).toEqual(['step 1', 'step 2', 'done -1']);
  });

  test('keep the run until the last caller leaves', async () => {
    const { follow, started, begun } = makeRuns();
    const [one, other] = [follow('a'), follow('a')];
    await settle();
    one.leave();
    expect(begun(0).run.stop.aborted).toBe(false);
    other.leave();
    expect(begun(0).run.stop.aborted).toBe(true);
    // The stopped run has not ended yet, so the new run of the next caller waits.
    const next = follow('a');
    begun(0).end(undefined);
    await settle();
    begun(1).end(-1);
    await next.ended;
    expect(next.told).toEqual(['queued {"place":1}', 'done -1']);
    expect(started).toHaveLength(2);
  });
});

describe('the number of waiting and listening callers has a limit', () => {
  test('the last place goes to one of two simultaneous callers', () => {
    const { listen } = makeRuns({ places: 1, longest: 0 });
    expect(listen('a')).not.toBe('full');
    expect(listen('b')).toBe('full');
  });

  test('by default one run goes on, twenty runs wait, and the next caller is refused', async () => {
    const { follow, listen, started } = makeRuns();
    for (let index = 0; index <= 20; index++) follow(`${index}`);
    await settle();
    expect(started).toHaveLength(1);
    expect(listen('one too many')).toBe('full');
  });

  test('200 callers listen to one run, and another caller may join when one has left', () => {
    const { listen } = makeRuns();
    const [first] = Array.from({ length: 200 }, () => listen('a'));
    expect(listen('a')).toBe('full');
    if (first !== 'full') first?.leave();
    expect(listen('a')).not.toBe('full');
  });
});

test('when the listener of a waiting run leaves, the runs behind it move up', async () => {
  const { follow, started, begun } = makeRuns();
  follow('a');
  const second = follow('b');
  const third = follow('c');
  await settle();
  second.leave();
  await settle();
  begun(0).end(-1);
  await settle();
  begun(1).end(-2);
  await third.ended;
  expect(third.told).toEqual(['queued {"place":2}', 'queued {"place":1}', 'done -2']);
  expect(started).toHaveLength(2);
});

describe('a result that stays true', () => {
  test('is sent to later callers immediately', async () => {
    const { follow, listen, begun } = makeRuns({ places: 1, longest: 0 });
    follow('a');
    await settle();
    begun(0).end(7);
    await settle();
    follow('busy');
    expect(listen('b')).toBe('full');
    const again = follow('a');
    await again.ended;
    expect(again.told).toEqual(['done 7']);
  });

  test('is forgotten after 500 newer results, and a result that may change is never kept', async () => {
    const { follow, started, begun } = makeRuns();
    const run = async (key: string, done: number) => {
      const before = started.length;
      const following = follow(key);
      await settle();
      if (started.length > before) begun(before).end(done);
      await following.ended;
      return started.length > before;
    };
    expect([await run('false', -1), await run('false', -1)]).toEqual([true, true]);
    for (let index = 0; index <= 500; index++) await run(`${index}`, 1);
    expect([await run('1', 1), await run('0', 1)]).toEqual([false, true]);
  });
});

describe('a run that fails', () => {
  test.each([
    ['expected', 'In words.'],
    [new Refusal(labBusy), labBusy.detail],
  ])('tells its callers the reason of an expected error: %s', async (error, detail) => {
    const { follow, begun, events } = makeRuns();
    const following = follow('a');
    await settle();
    begun(0).fail(error);
    await following.ended;
    expect(following.told).toEqual([`failed ${JSON.stringify({ detail })}`]);
    expect(events).toEqual([]);
  });

  test('puts an unexpected error into the log, even if nobody listens any more', async () => {
    const { follow, begun, events } = makeRuns();
    const following = follow('a');
    await settle();
    following.leave();
    begun(0).fail(new Error('secret'));
    await settle();
    expect(events).toMatchObject([{ event: 'a count failed' }]);
  });

  test('puts an unexpected error into the log, and the next run begins', async () => {
    const { follow, started, begun, events } = makeRuns();
    const [following] = [follow('a'), follow('b')];
    await settle();
    begun(0).fail(new Error('secret'));
    await following.ended;
    const detail = 'Something unexpected happened. The log has the error.';
    expect(following.told).toEqual([`failed ${JSON.stringify({ detail })}`]);
    expect(events).toMatchObject([{ event: 'a count failed' }]);
    expect(JSON.stringify(events)).toContain('secret');
    expect(started).toHaveLength(2);
  });
});

test('a server that stops ends all runs, and does not report their errors', async () => {
  const { follow, started, begun, stopping, events } = makeRuns();
  const [running, waiting] = [follow('a'), follow('b')];
  await settle();
  stopping.abort();
  await waiting.ended;
  expect(begun(0).run.stop.aborted).toBe(true);
  begun(0).fail(new Error('the database has ended'));
  await running.ended;
  expect([running.told, waiting.told]).toEqual([[], ['queued {"place":1}']]);
  expect(started).toHaveLength(1);
  expect(events).toEqual([]);
});

test('progress is sent at most every 50 ms', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const told: unknown[] = [];
  const run = { tellLatest: (...news: unknown[]) => told.push(news) };
  const onSchedule = progressOf(run as unknown as Run<CountNews>, 9);
  for (const [schedules, passedMs] of [0, 49, 1].entries()) {
    vi.advanceTimersByTime(passedMs);
    onSchedule(schedules);
  }
  expect(told).toEqual([0, 2].map((schedules) => ['progress', { schedules, of: 9 }]));
});
