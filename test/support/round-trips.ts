import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { Framing } from '../../src/explorer/wire/messages.ts';

/** The types of the client's messages that run a statement: Execute and Query. */
const RUNS = ['E', 'Q'];
/** The type of the server's message that ends the answer to a statement: ReadyForQuery. */
const ANSWERED = 'Z';

/** Opens a relay to the database for one test. The relay can hold back the server's answers. */
export async function makeHoldingWay(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let sent = 0;
  let answered = 0;
  /** How many statements the client must have sent before it gets each answer. */
  let needed: number[] = [];
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    const requests = new Framing(1_000_000, { hasTypes: false });
    const answers = new Framing(1_000_000);
    const deliver = () => {
      while (sent >= (needed[answered] ?? 0)) {
        const message = answers.next();
        if (!message) return;
        near.write(message.whole);
        if (message.type === ANSWERED) answered++;
      }
    };
    near.on('data', (data) => {
      requests.add(data);
      for (let request = requests.next(); request; request = requests.next()) {
        requests.expectTypes();
        if (RUNS.includes(request.type)) sent++;
      }
      far.write(data);
      deliver();
    });
    far.on('data', (data) => {
      answers.add(data);
      deliver();
    });
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    onTestFinished(() => void near.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    /**
     * Runs the work, and returns how many statements it sent. Each number is the statements of one
     * round trip. The relay holds their answers until the client has sent all of them.
     */
    async inRoundTrips(statements: number[], work: () => Promise<void>): Promise<number> {
      sent = 0;
      answered = 0;
      let before = 0;
      needed = statements.flatMap((many) => {
        before += many;
        return Array.from({ length: many }, () => before);
      });
      await work();
      needed = [];
      return sent;
    },
  };
}
