import type { Database } from '../db/client.ts';
import type { Kind } from '../queue/kind.ts';
import { delivering } from './attempts/deliver.ts';
import { resending } from './deliveries/resend.ts';

/** The kinds of tasks of this room. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
export const webhookKinds = (db: Database, reach: { loopback: boolean }): readonly Kind<any>[] => [
  delivering(db, reach),
  resending(db),
];
