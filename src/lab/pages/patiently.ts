import { pause } from '../../platform/waiting/backoff.ts';

const ATTEMPTS = 5;

/** The parts of an answer that tell whether and when to repeat the request. */
interface RepeatableAnswer {
  headers: Headers;
  clone(): { json(): Promise<unknown> };
}

/**
 * Sends a request, and repeats it as long as the answer has the header `Retry-After`. The header
 * can mean that the service is busy, has received too many requests, or still works on the first
 * request. The header says how long to wait. If no answer came, the wait is one second. Sends at
 * most five requests, and returns the last answer.
 */
export async function patiently<A extends Pick<RepeatableAnswer, 'headers'> | undefined>(
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
