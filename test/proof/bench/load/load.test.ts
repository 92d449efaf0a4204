import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Asks, pathOf } from '../../../../proof/bench/load/asks.ts';
import { makeLoad } from '../../../../proof/bench/load/load.ts';
import { statusOf } from '../../../../proof/bench/load/wire.ts';
import { compare } from '../../../../proof/bench/measure.ts';
import { interleave, median } from '../../../../proof/bench/rounds.ts';
import { expectFourRecruiters, spread } from '../../../support/spread.ts';

async function serve(answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => answer(request.url ?? '', response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a load', () => {
  test('requests each pair of a job and a recruiter once, and then ends', async () => {
    const asked: string[] = [];
    const origin = await serve((path, response) => {
      asked.push(path);
      response.statusCode = path.includes('jobId=11&') ? 403 : 200;
      response.end('{}');
    });
    const crowds = [{ asks: spread(10, 4), connections: 3 }];
    const [heard] = await makeLoad({ origins: [origin], seconds: 60, crowds });
    expect(heard?.statuses).toEqual({ 200: 36, 403: 4 });
    expect(heard?.perSecond).toBeGreaterThan(0);
    expect(heard?.p99).toBeGreaterThanOrEqual(heard?.p50 ?? Number.NaN);
    expect(new Set(asked).size).toBe(40);
  });

  test('never has two unanswered requests on one connection', async () => {
    const running = new Set<unknown>();
    const seen = new Set<unknown>();
    let pipelined = 0;
    const origin = await serve((_, response) => {
      const { socket } = response.req;
      if (running.has(socket)) pipelined++;
      seen.add(socket);
      running.add(socket);
      setImmediate(() => {
        running.delete(socket);
        response.end('late');
      });
    });
    const asks = { kind: 'path', path: '/' } as const;
    await makeLoad({ origins: [origin], seconds: 0.2, crowds: [{ asks, connections: 5 }] });
    expect([pipelined, seen.size]).toEqual([0, 5]);
  });

  test('of 0 seconds sends one request on each connection', async () => {
    const origin = await serve((_, response) => response.end());
    const asks = { kind: 'one-job', jobId: 1 } as const;
    const crowds = [{ asks, connections: 250 }];
    const [heard] = await makeLoad({ origins: [origin], seconds: 0, crowds });
    expect(heard?.statuses).toEqual({ 200: 250 });
  });

  test('fails when the server ends a connection instead of answering', async () => {
    const origin = await serve((_, response) => response.destroy());
    const asks = { kind: 'path', path: '/' } as const;
    const load = makeLoad({ origins: [origin], seconds: 5, crowds: [{ asks, connections: 2 }] });
    await expect(load).rejects.toThrow('the server ended a connection');
  });
});

describe('an answer', () => {
  test.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', 200],
    ['HTTP/1.1 403 Forbidden\r\ncontent-length: 3\r\n\r\n{}', undefined],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n', undefined],
    ['HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n', undefined],
    ['HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', 503],
  ])('%j has the status %j, or undefined if a part is missing', (text, status) => {
    expect(statusOf(Buffer.from(text))).toBe(status);
  });
});

// test/slow/proof/bench/load/load.test.ts has 100,000 jobs.
test.each([10, 1_000])('four different recruiters claim each of %i jobs', expectFourRecruiters);

test.each(['no-recruiter', 'no-job'] as const)(
  'each request of the kind %s names a new id',
  (kind) => {
    const asks: Asks = { kind, firstJob: 11, jobs: 10 };
    const paths = Array.from({ length: 100 }, (_, n) => pathOf(asks, n));
    expect(new Set(paths).size).toBe(100);
    const largest = { 'no-recruiter': 'jobId=11&recruiterId=', 'no-job': 'jobId=' }[kind];
    expect(paths[0]).toContain(`${largest}9223372036854775807`);
  },
);

test('each round makes every measurement once, and the first round does not count', async () => {
  const order: string[] = [];
  let n = 0;
  const measure = (name: string) => async () => {
    order.push(name);
    return { n: n++ };
  };
  const measurements = { a: measure('a'), b: measure('b') };
  const figuresByName = await interleave(2, measurements, () => undefined);
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(figuresByName).toEqual({ a: [{ n: 2 }, { n: 4 }], b: [{ n: 3 }, { n: 5 }] });
});

test('the median is the middle value, or lies between the two middle values', () => {
  const of = (...values: number[]) =>
    median(
      values.map((n) => ({ n })),
      'n',
    );
  expect([of(3, 1, 2), of(4, 1, 10, 2), of(7)]).toEqual([2, 3, 7]);
});

test('a bar tells whether the ratio of two values is within its limit', () => {
  const judged = (value: number, at: 'least' | 'most') =>
    compare('x', 'ms', { name: 'a', value }, { name: 'b', value: 10 }, { at, limit: 2 });
  expect(judged(20, 'least').bar?.reached).toBe(true);
  expect(judged(19, 'least').bar?.reached).toBe(false);
  expect(judged(20, 'most').bar?.reached).toBe(true);
  expect(judged(21, 'most').bar?.reached).toBe(false);
});
