import { isCausedBy, SQLSTATE } from '../../../src/platform/db/sqlstate.ts';
import { newSecret } from '../../../src/service/webhooks/send/signature.ts';
import { messageTypes } from '../../../src/service/webhooks/tables.ts';
import { expectClaims, figuresOf } from '../check.ts';
import type { Heard } from '../load/load.ts';
import { compare } from '../measure.ts';
import type { Receiver } from '../processes.ts';
import type { Measurement } from '../rounds.ts';
import { withConnection } from '../seed.ts';
import { CONNECTIONS, type Scenario, type SideServer, type Stand, spreadClaims } from '../stand.ts';
import { inShortRounds, inTurn, rateIn, SHORT_ROUNDS } from './scenarios.ts';

/** Without this setting, webhooks are not sent to this machine. */
const SETTINGS = { WEBHOOK_LOOPBACK: 'on' };

/**
 * (h) Compares claims while every company has an endpoint with claims while no company has an
 * endpoint. Both servers are the product with its defaults, so the workers that send the webhooks
 * run inside the server. On a shared machine, two rounds of the same server may differ by a
 * quarter. Therefore the scenario makes many short rounds.
 */
export const endpoints: Scenario = async (stand) => {
  const { arena, group } = stand;
  const short = inShortRounds(stand);
  const receiver = arena.startReceiver();
  const { port } = await receiver.ask({});
  const url = await arena.copyDatabase('endpoints', stand.without);
  await addEndpoints(url, `http://127.0.0.1:${port}/`);
  const server = await arena.startServer('group', url, SETTINGS);
  const hooked: SideServer = { side: 'group', url, server };
  const all = [group.url, hooked.url];
  const rounds = await inTurn(short, 'endpoints', {
    [NONE]: measure(short, group, receiver, all),
    [EACH]: measure(short, hooked, receiver, all),
  });
  await server.stop();
  receiver.stop();
  const rate = rateIn(rounds);
  return {
    rounds,
    measures: [
      compare('claims while every company has an endpoint', 'claims/s', rate(EACH), rate(NONE), {
        at: 'least',
        limit: 0.8,
      }),
    ],
    notes: [
      `endpoints: ${SHORT_ROUNDS}`,
      'endpoints: WEBHOOK_LOOPBACK=on; the receiver is one process on this machine that answers after 20 ms, as over a short network; the deliveries of all claims do not fit into a round, so the queue is never empty',
    ],
  };
};

const NONE = 'no endpoints';
const EACH = 'endpoints';
const CLEAR_TRIES = 5;

const addEndpoints = (url: string, target: string) =>
  withConnection(
    url,
    (sql) => sql`
      INSERT INTO webhook_endpoints (company_id, url, types, secret)
      SELECT id, ${target}, ${JSON.stringify(messageTypes)}::text::jsonb, ${newSecret()} FROM companies`,
  );

const measure =
  (
    { arena, seconds }: Stand,
    { url, server }: SideServer,
    receiver: Receiver,
    all: string[],
  ): Measurement =>
  async () => {
    // The other server may still have messages to deliver. Its work would slow this measurement.
    for (const each of all) await clear(each);
    const before = await receiver.ask({});
    const crowds = [{ asks: spreadClaims, connections: CONNECTIONS }];
    const [heard] = await arena.makeLoad({ origins: [server.origin], seconds, crowds });
    const after = await receiver.ask({});
    await expectClaims('claims and endpoints', url, heard?.statuses[200] ?? 0);
    const messages = (after.messages - before.messages) / seconds;
    return { ...figuresOf('claims and endpoints', heard as Heard, 200), messages };
  };

/**
 * Removes the claims, and all rows that follow from claims. The relay and the worker of the server
 * may lock the same tables in a different order. After a deadlock, we try again.
 */
async function clear(url: string) {
  for (let tries = 1; ; tries++) {
    try {
      return await withConnection(url, async (sql) => {
        await sql`
          TRUNCATE job_claims, events, webhook_unrelayed,
            tasks, task_attempts, webhook_attempts, webhook_deliveries`;
        await sql`CHECKPOINT`;
      });
    } catch (error) {
      if (tries === CLEAR_TRIES || !isCausedBy(error, SQLSTATE.deadlockDetected)) throw error;
    }
  }
}
