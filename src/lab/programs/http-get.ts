import { get, type IncomingMessage } from 'node:http';
import type { ProgramAnswer } from '../chapter.ts';

/** Answers to a claim are short. */
const MOST_BYTES = 64_000;

/**
 * Sends a request on a connection of its own. A connection that stays open would let the end of one
 * schedule reach into the next. Rejects if no whole answer comes.
 */
export function httpGet(url: URL, signal: AbortSignal): Promise<ProgramAnswer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal, headers: { Connection: 'close' } });
    request.on('error', reject);
    request.on('response', (response) => readBody(response).then(resolve, reject));
  });
}

async function readBody(response: IncomingMessage): Promise<ProgramAnswer> {
  const { statusCode: status = 0, statusMessage: reason = '' } = response;
  let body = '';
  for await (const text of response.setEncoding('utf8')) {
    body += text;
    if (body.length > MOST_BYTES) throw new Error(`its answer has more than ${MOST_BYTES} bytes`);
  }
  return { status, reason, body };
}
