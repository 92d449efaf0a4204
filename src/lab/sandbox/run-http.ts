import type { Context } from 'hono';
import type { z } from 'zod';
import { nameOf } from '../../service/http/auth/caller.ts';
import { streamEvents } from '../../service/http/event-stream.ts';
import type { Env } from '../../service/http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../service/http/problem.ts';
import { busy, invalid, invalidRequest, notJson } from '../../service/http/problems.ts';
import type { Listener } from '../listener.ts';
import { Mistake } from './statements.ts';

/** Reads the body, and sends the events of its run. */
export async function sendRun<Body>(
  c: Context<Env>,
  rules: z.ZodType<Body>,
  listen: (body: Body, caller: string) => Listener | 'full',
) {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (body === undefined) return problem(notJson);
  const asked = rules.safeParse(body);
  if (!asked.success) return invalid(asked.error, 'body');
  try {
    const listener = listen(asked.data, nameOf(c.get('caller')));
    if (listener === 'full') return problem(tooManyTry, {}, RETRY_AFTER);
    return streamEvents(c, listener);
  } catch (error) {
    if (error instanceof Mistake) return problem({ ...invalidRequest, detail: error.message });
    throw error;
  }
}

const tooManyTry = {
  ...busy,
  detail: 'Too many runs wait for their turn. Try again.',
};
