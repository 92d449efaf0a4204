import type { Database } from '../../platform/db/client.ts';
import type { TaskKind } from '../queue/kind.ts';
import { delivering } from './attempts/deliver.ts';
import { resending } from './deliveries/resend.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
type AnyTaskKind = TaskKind<any>;

/** Returns the kinds of tasks that send webhooks. */
export const webhookKinds = (
  db: Database,
  reach: { loopback: boolean },
): readonly AnyTaskKind[] => [delivering(db, reach), resending(db)];
