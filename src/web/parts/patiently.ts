import { pause } from './pause.ts';

const ATTEMPTS = 5;

/** What an answer has to tell of itself. */
interface Answer {
  headers: Headers;
}

/**
 * Asks for what writes, and asks again as late as the service says while it is busy, has had too many
 * requests or still works on the first one; or a second later where no answer came. One key for all
 * attempts: whatever became of the earlier ones, it is done once.
 *
 * Undefined where the last attempt had no answer either.
 */
export async function patiently<A extends Answer>(
  ask: (init: { headers: { 'Idempotency-Key': string } }) => Promise<A>,
  onWait: () => void,
): Promise<A | undefined> {
  const headers = { 'Idempotency-Key': newKey() };
  for (let attempt = 1; ; attempt++) {
    const answer = await ask({ headers }).catch(() => undefined);
    const seconds = answer ? answer.headers.get('Retry-After') : '1';
    if (seconds === null || attempt === ATTEMPTS) return answer;
    onWait();
    await pause(Number(seconds) * 1_000);
  }
}

/** Not `randomUUID`, which pages have on https and on this machine only. */
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');
