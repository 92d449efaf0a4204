import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type LogLevel, openLog } from '../src/log.ts';

function makeLog(level: LogLevel, isTTY = false) {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  return { log: openLog(level, { isTTY, write }), text: () => text };
}

test('an event is a line of JSON with its time and level', async () => {
  const { log, text } = makeLog('info');
  log.info({ event: 'request', status: 200 });
  await setImmediate();
  expect(text()).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(text())).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.+Z$/),
    event: 'request',
    status: 200,
  });
});

test('in a terminal it is a line for people', () => {
  const { log, text } = makeLog('info', true);
  log.error({ event: 'clearing failed' });
  expect(text()).toContain('clearing failed');
  expect(text()).toContain('ERROR');
  expect(() => JSON.parse(text())).toThrow();
});

test('the level says what is left out', async () => {
  const errors = makeLog('error');
  errors.log.info({ event: 'request' });
  await setImmediate();
  expect(errors.text()).toBe('');
  errors.log.error({ event: 'request failed' });
  await setImmediate();
  expect(errors.text()).toContain('request failed');
  const silent = makeLog('silent');
  silent.log.error({ event: 'request failed' });
  await setImmediate();
  expect(silent.text()).toBe('');
});
