import type { Dice } from '../dice.ts';
import { oddRequest } from './odd-requests.ts';
import type { RawClient } from './raw.ts';

/** Counts an answer by its name. Adds a finding if the name begins with none of `answers`. */
export type Expect = (name: string, to: string, answers: string[]) => void;

/** Sends an odd request, requests a page twice, or sends only a part of a request. */
export async function askOddly(client: RawClient, dice: Dice, expectAnswer: Expect) {
  switch (dice.below(20)) {
    case 0:
      return goAway(client, dice, expectAnswer);
    case 1:
      return revalidate(client, dice, expectAnswer);
    default: {
      const wanted = oddRequest(dice);
      const { name } = await client.ask(wanted);
      expectAnswer(name, `${wanted.method ?? 'GET'} ${wanted.path}`, wanted.answers);
    }
  }
}

const PAGES = ['/', '/docs', '/openapi.json'];

/** Requests a page twice. The second request asks for the page only if the page has changed. */
async function revalidate(client: RawClient, dice: Dice, expectAnswer: Expect) {
  const path = dice.any(PAGES) ?? '/';
  const headers = { Accept: 'text/html' };
  const { name, etag = '' } = await client.ask({ path, headers });
  expectAnswer(name, `GET ${path}`, ['200']);
  const again = await client.ask({ path, headers: { ...headers, 'If-None-Match': etag } });
  expectAnswer(again.name, `GET ${path} if changed`, ['304']);
}

const START = 'HTTP/1.1\r\nHost: localhost';
const PARTS = [
  '',
  'nonsense\r\n\r\n',
  `GET /jobs ${START}`,
  `GET /jobs ${START}\r\n\r\n`,
  `POST /jobs/1/claims ${START}\r\nContent-Length: 900\r\n\r\n{"recruiterId":`,
  `POST /jobs/1/claims ${START}\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{`,
];

/** Disconnects without a request, in the middle of a request, or before the answer. */
async function goAway(client: RawClient, dice: Dice, expectAnswer: Expect) {
  await client.sendAndGo(dice.any(PARTS) ?? '');
  expectAnswer('not waited for', '', ['not waited for']);
}
