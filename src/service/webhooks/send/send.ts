import * as http from 'node:http';
import * as https from 'node:https';
import { version } from '../../process/project.ts';
import { firstLineOf, retryAfterOf } from './answer.ts';
import { noAnswerBecause } from './reasons.ts';
import { findTarget, type Reach, type Target } from './target.ts';

/** How long a whole send may take, from the search for the address to the end of the answer. */
const TOTAL_MS = 15_000;

/** The service reads at most this much of an answer, and then closes the connection. */
const LARGEST_ANSWER_BYTES = 64 * 1024;

export interface Post extends Reach {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The certificate authority to trust. The default is the authorities that Node trusts. */
  ca?: string;
}

export type Sent =
  | { kind: 'answered'; status: number; firstLine: string; retryAfterMs?: number }
  | { kind: 'no-answer'; reason: string };

/**
 * Posts a body to a URL of a stranger. The URL is judged anew, and the connection goes to the
 * judged addresses. Throws the reason of `signal` if the signal is aborted.
 */
export async function send(post: Post, signal: AbortSignal): Promise<Sent> {
  const late = AbortSignal.timeout(TOTAL_MS);
  const stop = AbortSignal.any([signal, late]);
  try {
    const found = await findTarget(post.url, post, stop);
    if (found.kind === 'refused') return { kind: 'no-answer', reason: found.reason };
    return await exchange(found, post, stop);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'no-answer', reason: noAnswerBecause(error, late.aborted) };
  }
}

async function exchange(target: Target, post: Post, stop: AbortSignal): Promise<Sent> {
  const response = await request(target, post, stop);
  const firstLine = firstLineOf(await beginningOf(response));
  // An answer without a length ends with its connection, so an abort looks like the end.
  stop.throwIfAborted();
  const retryAfterMs = retryAfterOf(response.headers['retry-after'], new Date());
  const answered = { kind: 'answered', status: response.statusCode ?? 0, firstLine } as const;
  return retryAfterMs === undefined ? answered : { ...answered, retryAfterMs };
}

/**
 * Sends the request, and waits for the head of the answer. `node:https` follows no redirects, keeps
 * no cookies and decompresses nothing.
 */
function request({ url, addresses }: Target, { headers, body, ca }: Post, stop: AbortSignal) {
  const { request, Agent } = url.protocol === 'https:' ? https : http;
  // A new agent has no connection from before the address was judged, and takes no proxy from the
  // environment.
  const agent = new Agent({
    keepAlive: false,
    // The socket uses only the judged addresses, and tries one address after the other.
    lookup: (_name, _options, answer) => answer(null, addresses),
    autoSelectFamily: true,
    // Without this line, NODE_TLS_REJECT_UNAUTHORIZED=0 would turn the check off.
    rejectUnauthorized: true,
    ...(ca && { ca }),
  });
  return new Promise<http.IncomingMessage>((resolve, reject) => {
    const sending = request(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `Rowlock/${version}`,
      },
      agent,
      signal: stop,
    });
    const limitInterim = () => {
      if ((sending.socket?.bytesRead ?? 0) > LARGEST_ANSWER_BYTES) sending.destroy();
    };
    sending.on('information', limitInterim).on('response', resolve).on('error', reject);
    // After `101 Switching Protocols`, Node closes the connection without an answer or an error.
    sending.on('close', () => reject(new Error('the connection was closed')));
    sending.end(body);
  });
}

/** Reads the body up to the limit, and closes the connection. Throws if the body is cut off. */
async function beginningOf(response: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= LARGEST_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, LARGEST_ANSWER_BYTES);
}
