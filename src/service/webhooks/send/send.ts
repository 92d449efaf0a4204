import * as http from 'node:http';
import * as https from 'node:https';
import { version } from '../../../platform/process/project.ts';
import { findTarget, type Reach, type Target } from './target.ts';

/** How long a whole send may take, from the search for the address to the end of the answer. */
const TOTAL_MS = 15_000;

/**
 * The maximum number of bytes that the service reads of an answer. Then the service closes the
 * connection.
 */
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
 * Posts a body to a URL that a stranger has registered. Checks the URL again, and connects only to
 * the checked addresses. Throws the reason of `signal` if the signal is aborted.
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
  // An answer without a length ends when the connection ends. So without this line, an abort would
  // look like the end of the answer.
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
  // A new agent has no older connection, which could lead to an unchecked address. The agent takes
  // no proxy from the environment.
  const agent = new Agent({
    keepAlive: false,
    // The socket uses only the checked addresses, and tries one address after the other.
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
    // After `101 Switching Protocols`, Node closes the connection without the events `response` and
    // `error`.
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

/** The codes of Node for a connection that cannot be made. */
const NOT_CONNECTED =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|ETIMEDOUT|E(ADDRNOTAVAIL|ACCES|PERM|INVAL))$/;

/** The codes of OpenSSL and Node for a certificate that is not valid. */
const BAD_CERTIFICATE = /CERT|SIGNATURE|CRL|CHAIN|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH/;

/**
 * Returns the reason why no answer came, for the owner of the endpoint. The reason contains no
 * address, no port and no text of the receiver.
 */
function noAnswerBecause(error: unknown, isLate: boolean): string {
  if (isLate) return 'No complete answer came within 15 seconds.';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (BAD_CERTIFICATE.test(code)) return `The certificate is not valid (${code}).`;
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP.';
  if (NOT_CONNECTED.test(code)) return 'The host cannot be reached.';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'The host does not speak TLS.';
  return 'The connection broke before the answer was complete.';
}

/** The maximum number of characters of the first line that we keep. */
const LONGEST_LINE = 200;

/** The maximum pause. A longer Retry-After counts as a day. */
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

/** Control characters, invisible characters, unassigned characters, and line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Returns the beginning of the first line of an answer's body. Keeps only printable characters. */
export function firstLineOf(body: Buffer): string {
  const [line = ''] = body.toString('utf8').split(/[\r\n]/, 1);
  return Array.from(line.replace(UNPRINTABLE, '').trim()).slice(0, LONGEST_LINE).join('');
}

/**
 * Returns the pause that the header Retry-After asks for, or undefined if the header is missing or
 * malformed.
 */
export function retryAfterOf(header: string | undefined, now: Date): number | undefined {
  const ms = millisecondsOf(header ?? '', now);
  return ms === undefined ? undefined : Math.min(LONGEST_PAUSE_MS, Math.max(0, ms));
}

function millisecondsOf(header: string, now: Date): number | undefined {
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  // `Date.parse` alone would also accept `5 apples`.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header))
    return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : at - now.getTime();
}
