import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { atEnd, type Command, run } from './command.ts';

export const demo = (args: string[], env = {}) => run('scripts/race-demo.ts', args, env);

/** Removes the lines of progress. Only a slow run prints them. */
export const withoutProgress = (text: string) =>
  text.replace(
    /^(.+: round \d+ of \d+|.+, schedule \d+(?:,\d+)*|starting \d+ copies of .+)\n/gm,
    '',
  );

export async function expectRefusal({ ended, stdout, stderr }: Command, words: RegExp) {
  expect((await ended).code).toBe(2);
  expect(stdout()).toBe('');
  expect(stderr()).toMatch(words);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
}

/** Starts a foreign server. `answers` returns the status and the body for a path. */
export async function serve(answers: (path: string) => [number, unknown]): Promise<string> {
  const server = createServer((request, response) => {
    const [status, body] = answers(request.url ?? '');
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
export const offer = [{ chapter: 'claims', name: 'row-lock', idea: 'locks', promise: 'capacity' }];
