import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LogLevel, openLog } from '../../../src/platform/process/log.ts';

// The log gathers lines for some milliseconds.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

function makeLog(level: LogLevel, isTTY = false) {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  return { log: openLog(level, { isTTY, write }), text: () => text };
}

test('an event is a line of JSON with its time and level', () => {
  const { log, text } = makeLog('info');
  log.info({ event: 'request', status: 200 });
  vi.runAllTimers();
  expect(text()).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(text())).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.+Z$/),
    event: 'request',
    status: 200,
  });
});

test('an event in a terminal is a line for people', () => {
  const { log, text } = makeLog('info', true);
  log.error({ event: 'clearing failed' });
  expect(text()).toContain('clearing failed');
  expect(text()).toContain('ERROR');
  expect(() => JSON.parse(text())).toThrow();
});

test('the level decides which events are left out', () => {
  const errors = makeLog('error');
  errors.log.info({ event: 'request' });
  vi.runAllTimers();
  expect(errors.text()).toBe('');
  errors.log.error({ event: 'request failed' });
  vi.runAllTimers();
  expect(errors.text()).toContain('request failed');
  const silent = makeLog('silent');
  silent.log.error({ event: 'request failed' });
  vi.runAllTimers();
  expect(silent.text()).toBe('');
});

/** A text with characters that a terminal would obey or hide. */
const HOSTILE = 'a\u001b]0;x\u0007\u009b2Jb\u202ec\u2028d\u200be';

test('a JSON line contains no character that controls a terminal, and keeps its meaning', () => {
  const { log, text } = makeLog('info');
  log.info({ event: 'request', path: HOSTILE, [HOSTILE]: 1 });
  vi.runAllTimers();
  expect(text().trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(text())).toMatchObject({ path: HOSTILE, [HOSTILE]: 1 });
});

const COLOUR = String.raw`\u001b\[\d+m`;

test('a line for a terminal contains no control characters except colours', () => {
  const { log, text } = makeLog('info', true);
  const facts = { path: HOSTILE, [HOSTILE]: 1, error: `Error\n    at ${HOSTILE}`, more: [HOSTILE] };
  log.error({ event: HOSTILE, ...facts });
  log.info({ event: 'request', ...facts });
  const uncoloured = text().replaceAll(new RegExp(COLOUR, 'g'), '');
  expect(text()).not.toBe(uncoloured);
  expect(uncoloured.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});
