import { pause } from '../platform/waiting/backoff.ts';
import { eitherSignal } from '../platform/waiting/either-signal.ts';
import { isOffline } from './network.ts';
import type { ProblemBody } from './operations.generated.ts';
import type { Sender } from './send.ts';
import { NoToken } from './token.ts';

/**
 * The client's own codes. `no-answer`: the service did not answer, or a proxy answered in its
 * place. `offline`: the browser has no network.
 */
export type NoAnswer = 'no-answer' | 'offline';

/** A refusal. `code` is the reason for programs, and `detail` is the reason for people. */
export type Problem<Code extends string = ProblemBody['code'] | NoAnswer> = Omit<
  ProblemBody,
  'code'
> & { ok: false; code: Code; data?: undefined };

/** The answer to a successful request. */
export interface Done<Data> {
  ok: true;
  status: number;
  data: Data;
  code?: undefined;
}

export interface CallOptions {
  /** Ends the call. The call then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Called before the client waits and repeats the request. */
  onWait?: ((problem: Problem) => void) | undefined;
}

export type Args = Record<string, unknown>;

/** The maximum number of times that the client sends a request. */
const ATTEMPTS = 5;
/** The pause after a request without an answer. */
const RETRY_MS = 1_000;
/**
 * If `Retry-After` is longer than this, the client does not wait, and the caller gets the refusal.
 */
const LONGEST_WAIT_MS = 60_000;
/** After this time, a request counts as lost. The service answers within some seconds. */
const SILENCE_MS = 30_000;

/**
 * Sends a request up to five times. The client repeats the request if no answer comes, or if the
 * answer has a `Retry-After` of at most a minute. For example, the service is busy, has received
 * too many requests, or still works on the first request. All attempts of a write have the same
 * key, so the service does the write only once. If a browser has no network and the first request
 * fails, the call ends without a repeat.
 */
export async function call(
  sender: Sender,
  operation: string,
  args: Args,
  { signal, onWait }: CallOptions = {},
): Promise<Done<unknown> | Problem> {
  const { path, ...init } = requestOf(operation, args);
  const beganOffline = isOffline();
  for (let attempt = 1; ; attempt++) {
    const { answer, waitMs } = await attemptOnce(sender, path, init, signal);
    if (answer === noAnswer && attempt === 1 && beganOffline && isOffline()) return offline;
    if (answer.ok || waitMs === undefined || attempt === ATTEMPTS) return answer;
    onWait?.(answer);
    await pause(waitMs, signal);
    signal?.throwIfAborted();
  }
}

/**
 * Makes the request of an operation such as `/jobs/:jobId/claims POST`. The default method is GET.
 * This form is the shortest, and a frontend loads all operations.
 */
export function requestOf(operation: string, args: Args) {
  const [template = '', method = 'GET'] = operation.split(' ');
  const rest = { ...args };
  const path = template.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const isWrite = method !== 'GET' || path === '/claim-job';
  const headers: Record<string, string> = isWrite ? { 'Idempotency-Key': newKey() } : {};
  if (method === 'GET') return { method, headers, path: path + queryOf(rest) };
  const hasBody = Object.keys(rest).length > 0;
  if (hasBody) headers['Content-Type'] = 'application/json';
  return { method, headers, path, body: hasBody ? JSON.stringify(rest) : null };
}

export function queryOf(values: Args): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((each) => each !== undefined && each !== null)
      .map((each): [string, string] => [name, String(each)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

async function attemptOnce(
  sender: Sender,
  path: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<{ answer: Done<unknown> | Problem; waitMs?: number | undefined }> {
  // We do not combine the signal with an `AbortSignal.timeout` by `AbortSignal.any`. Node 20
  // collects such a timeout as garbage, and the call would wait for ever.
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const either = signal ? eitherSignal(signal, silence) : silence.signal;
  try {
    const response = await sender.send(path, { ...init, signal: either });
    const { ok, status } = response;
    const body = status === 204 ? undefined : await response.json();
    if (ok) return { answer: { ok, status, data: body } };
    if (isProblem(body))
      return { answer: { ...body, ok: false }, waitMs: waitOf(response.headers) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof NoToken) throw error.cause;
  } finally {
    clearTimeout(timer);
  }
  return { answer: noAnswer, waitMs: RETRY_MS };
}

/**
 * Whether the body of an answer is a problem of the service. An answer without a code comes from a
 * proxy, so the answer does not tell what the service did.
 */
export const isProblem = (body: unknown): body is ProblemBody =>
  // `Object` makes an object of anything, also of null.
  'code' in Object(body) && 'detail' in Object(body);

/** Returns how long to wait before the next attempt, or undefined if there is no next attempt. */
export function waitOf(headers: Headers): number | undefined {
  const ms = Number(headers.get('Retry-After') ?? Number.NaN) * 1_000;
  return ms >= 0 && ms <= LONGEST_WAIT_MS ? ms : undefined;
}

/** Makes a problem that the service has not sent. */
const ownProblem = (code: NoAnswer, title: string, detail: string): Problem<NoAnswer> => ({
  ok: false,
  code,
  status: 0,
  type: 'about:blank',
  title,
  detail,
});

const noAnswer = ownProblem(
  'no-answer',
  'No answer',
  'The service does not answer, so the outcome is unknown. Read the present state before you try ' +
    'again.',
);

const offline = ownProblem(
  'offline',
  'Offline',
  'This browser is offline. Try again when it is online.',
);

/**
 * Makes a new name, such as an idempotency key. `randomUUID` is missing on pages over plain http from
 * another machine.
 */
export const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');
