import { pause } from '../../waiting/backoff.ts';

const ATTEMPTS = 5;

/** The parts of an answer that tell whether and when to repeat the request. */
interface Answer {
  headers: Headers;
  clone(): { json(): Promise<unknown> };
}

/**
 * Sends a request, and repeats it as long as the answer has the header `Retry-After`. For example,
 * the service is busy, has received too many requests, or still works on the first request. The
 * header tells how long to wait. If no answer came, the wait is one second. Sends at most five
 * requests, and gives the last answer.
 */
export async function patiently<A extends Pick<Answer, 'headers'> | undefined>(
  ask: () => Promise<A>,
  onWait = () => {},
): Promise<A> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask();
    const seconds = answer ? answer.headers.get('Retry-After') : '1';
    if (seconds === null || attempt === ATTEMPTS) return answer;
    onWait();
    await pause(Number(seconds) * 1_000);
  }
}

/**
 * Repeats a request that writes. All attempts have the same key, so the service does the write only
 * once. Undefined if the last attempt got no answer.
 *
 * Every answer of the service is JSON. Another answer is from a proxy, or is not complete. It
 * counts as no answer, because it does not tell what the service did.
 */
export function writePatiently<A extends Answer>(
  ask: (init: { headers: { 'Idempotency-Key': string } }) => Promise<A>,
  onWait: () => void,
): Promise<A | undefined> {
  const headers = { 'Idempotency-Key': newKey() };
  const askOnce = async () => {
    const answer = await ask({ headers });
    await answer.clone().json();
    return answer;
  };
  return patiently(() => askOnce().catch(() => undefined), onWait);
}

/** A new idempotency key. `randomUUID` is missing on pages over plain http from another machine. */
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');
