import { z } from 'zod';
import { idText } from '../schemas.ts';
import type { Caller } from './caller.ts';

/** A name that can be kept and logged: no control characters, no half of a character. */
const adminName = z.string().regex(/^\P{C}{1,200}$/u);

/** Without an end a stolen token would be good for ever. That it has not ended yet is checked before. */
const exp = z.number();

const payload = z.discriminatedUnion('role', [
  z.object({ role: z.literal('recruiter'), sub: idText, exp }),
  z.object({ role: z.literal('company'), sub: idText, exp }),
  z.object({ role: z.literal('admin'), sub: adminName, exp }),
]);

/** Whom the payload of a verified token names; undefined when it does not say so as it has to. */
export function callerOf(verified: unknown): Caller | undefined {
  const { data } = payload.safeParse(verified);
  if (data === undefined) return undefined;
  const until = data.exp * 1_000;
  return data.role === 'admin'
    ? { role: data.role, id: data.sub, until }
    : { role: data.role, id: data.sub, until };
}
