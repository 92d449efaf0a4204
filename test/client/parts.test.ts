import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../src/client/events.ts';
import { ServiceClock } from '../../src/client/send.ts';
import { bearerOf } from '../../src/client/token.ts';

describe('the clock of the service', () => {
  test('is known to within 0.15 seconds after some answers', () => {
    const ahead = 3_600_000;
    const clock = new ServiceClock();
    for (let sent = 1_000_050; sent < 1_020_000; sent += 1_370) {
      const made = sent + 20 + ahead;
      clock.hear({ sent, received: sent + 40, date: Math.floor(made / 1_000) * 1_000 });
    }
    expect(Math.abs(clock.at(2_000_000) - (2_000_000 + ahead))).toBeLessThan(150);
  });

  test('equals the clock of this machine before the first answer', () => {
    expect(new ServiceClock().at(5)).toBe(5);
  });

  test('is estimated anew after somebody has changed a clock', () => {
    const clock = new ServiceClock();
    clock.hear({ sent: 0, received: 10, date: 50_000 });
    clock.hear({ sent: 1_000, received: 1_010, date: 1_000 });
    expect(Math.abs(clock.at(2_000) - 2_000)).toBeLessThan(1_000);
  });
});

test('events are read from pieces of any size, and a comment gives undefined', async () => {
  const text =
    'retry: 1000\n\nevent: begin\ndata: {}\n\n:\n\nevent: job\ndata: {"role":"Küste"}\n\n';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 3, bytes.length]) {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size)
          controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const events: unknown[] = [];
    for await (const event of eventsOf(body)) events.push(event);
    expect(events).toEqual([
      undefined,
      { name: 'begin', data: {} },
      undefined,
      { name: 'job', data: { role: 'Küste' } },
    ]);
  }
});

test.each([
  ['null', {}],
  ['7', {}],
  ['no JSON', {}],
  ['{"role":"recruiter","sub":"7"}', { role: 'recruiter', sub: '7' }],
])('the holder of a token with the payload %s is %j', (payload, bearer) => {
  const { role, sub } = bearerOf(`head.${btoa(payload)}.signature`);
  expect({ role, sub }).toEqual({ role: undefined, sub: undefined, ...bearer });
});
