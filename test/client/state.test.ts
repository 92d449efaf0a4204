import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServerEvent } from '../../src/client/events.ts';
import { FollowedState, type Reaction } from '../../src/client/follow/state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (name: string, data: object = {}): ServerEvent => ({ name, data });
const BEGIN = event('begin');
const END = event('end');
const thing = (id: number, text = '') => event('thing', { id, text });

/** Makes a state of things. A thing with the text `gone` is gone. */
function makeState(expected: number[] = []) {
  const told: [all: number[], changed: unknown[]][] = [];
  const news: ServerEvent[] = [];
  const reaction: Reaction = {
    subjectOf({ name, data }) {
      const { id, text } = data as { id: number; text: string };
      if (name !== 'thing') return undefined;
      return { id, isGone: text === 'gone', kept: thing(id, `${text} kept`.trim()) };
    },
    onChange: (all, changed) => told.push([[...all.keys()] as number[], [...changed]]),
    onEvent: (each) => news.push(each),
  };
  const state = new FollowedState(reaction, expected);
  const take = (...events: ServerEvent[]) => {
    for (const each of events) state.take(each);
    vi.runAllTimers();
  };
  return { state, take, told, news };
}

test('the full state is reported as a whole', () => {
  const { take, told, news } = makeState([2]);
  take(BEGIN, thing(1));
  expect(told).toEqual([]);
  take(END);
  expect(told).toEqual([[[1], [2, 1]]]);
  expect(news).toEqual([thing(1)]);
});

test('later events are reported together', () => {
  const { take, told, news } = makeState();
  take(BEGIN, thing(1), END);
  take(thing(2), thing(1, 'gone'));
  expect(told.at(-1)).toEqual([[2], [2, 1]]);
  expect(news).toEqual([thing(1), thing(2), thing(1, 'gone')]);
});

test('a thing that a new full state lacks is gone', () => {
  const { take, told } = makeState();
  take(BEGIN, thing(1), thing(2), END);
  take(BEGIN, thing(2), END);
  expect(told.at(-1)).toEqual([[2], [2, 1]]);
});

test('an unknown event changes nothing', () => {
  const { take, told, news } = makeState();
  take(BEGIN, END);
  take(event('weather', { id: 1, text: '' }));
  expect(told).toEqual([[[], []]]);
  expect(news).toEqual([]);
});

test('a new tab gets what is kept of each thing', () => {
  const { state, take } = makeState();
  take(BEGIN, thing(1), thing(2));
  expect(state.asEvents()).toBeUndefined();
  take(END, thing(1, 'later'));
  expect(state.asEvents()).toEqual([BEGIN, thing(1, 'later kept'), thing(2, 'kept'), END]);
  const other = makeState();
  other.take(...(state.asEvents() ?? []));
  expect(other.told.at(-1)?.[0]).toEqual([1, 2]);
  // While a new full state arrives, a new tab must wait for its end.
  take(BEGIN);
  expect(state.asEvents()).toBeUndefined();
});
