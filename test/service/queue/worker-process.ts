// A worker that runs as a separate process. The test may kill, freeze or block this process.
import { existsSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { connect } from '../../../src/platform/db/client.ts';
import { Poller } from '../../../src/service/operation/poller.ts';
import type { Attempt, AttemptOutcome } from '../../../src/service/queue/kind.ts';
import { startWorker } from '../../../src/service/queue/worker/worker.ts';

const [url = '', name = ''] = process.argv.slice(2);
const { db } = connect(url);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const log = { debug: () => undefined, info: () => undefined, error: () => undefined };

/**
 * Keeps the event loop busy until the time is over or the file exists. Meanwhile this process
 * handles no timers and no answers.
 */
function block(ms: number, file: string) {
  const end = performance.now() + ms;
  while (performance.now() < end && !existsSync(file));
}

interface Payload {
  act: string;
  ms?: number;
  file?: string;
}

async function run(attempt: Attempt): Promise<AttemptOutcome> {
  const { act, ms = 0, file = '' } = attempt.payload as Payload;
  say(`began ${attempt.taskId} ${attempt.number}`);
  if (act === 'die') process.kill(process.pid, 'SIGKILL');
  if (act === 'hang') await new Promise(() => undefined);
  if (act === 'block') {
    block(ms, file);
    say(`able to renew: ${worker.isAbleToRenew()}`);
    try {
      attempt.assertHeld();
      say('still held');
    } catch (error) {
      say((error as Error).message);
    }
  }
  return {
    kind: 'done',
    also: async (tx) => {
      await tx.execute(sql`insert into recruiters (name) values (${`written by ${name}`})`);
    },
  };
}

const worker = await startWorker({
  db,
  poller: new Poller(db),
  kinds: [{ name: 'work', timeoutMs: 120_000, pauseMs: () => 0, run }],
  places: 4,
  perLane: 4,
  name,
  version: 'test',
  log,
  observe: (event) => {
    if (event.kind === 'ended') say(`ended ${event.how}`);
  },
});
say('ready');
