import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import {
  createClient,
  type Delivery,
  type Done,
  type Id,
  type Problem,
  type Rowlock,
} from '../src/client/index.ts';
import { pagesMount } from '../src/pages/http.ts';
import { freePort } from '../src/platform/postgres/postmaster.ts';
import { openScratch } from '../src/platform/postgres/scratch.ts';
import { buildProgram } from '../src/platform/process/build.ts';
import { runCommand } from '../src/platform/process/command.ts';
import { PlainError } from '../src/platform/process/errors.ts';
import { openLog } from '../src/platform/process/log.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { plainTable } from '../src/platform/process/plain-table.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { until } from '../src/platform/waiting/until.ts';
import { readConfig } from '../src/service/config/config.ts';
import { prepareDatabase } from '../src/service/database/migrate.ts';
import { startService } from '../src/service/program/service.ts';
import { buildDist } from './dist.ts';
import { paint } from './paint.ts';

/** The maximum wait. The first repeat of a message comes after about five seconds. */
const LONGEST_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 200;

const command = {
  name: 'demo:webhooks',
  purpose: 'Starts a service and the receiver of examples/, and shows how webhooks arrive.',
  notes: `Without DATABASE_URL the demo starts an embedded PostgreSQL. With DATABASE_URL it makes a
database on that server. It drops the database at the end.`,
};

runCommand(command, async (_, stop) => {
  await buildDist();
  const scratch = await openScratch(readConfig().databaseUrl, stop);
  try {
    await unlessStopped(stop, prepareDatabase(scratch.url, { demoData: true }));
    const service = await startService({
      databaseUrl: scratch.url,
      host: '127.0.0.1',
      port: 0,
      mounts: [pagesMount({ lab: false })],
      log: openLog('error'),
      places: 4,
      webhookLoopback: true,
    });
    try {
      await show(createClient(service.url), stop);
    } finally {
      clearProgress();
      await service.stop();
    }
  } finally {
    await scratch.stop();
  }
  return 0;
});

async function show(rowlock: Rowlock, stop: AbortSignal) {
  const job = await firstJob(rowlock);
  const port = await freePort();
  const url = `http://localhost:${port}/`;
  headline(`The company "${job.company.name}" registers an endpoint at ${url}`);
  const endpoint = await done(rowlock.createEndpoint({ id: job.company.id, url }));
  const deliveries = () => deliveriesTo(rowlock, endpoint.id);

  headline(`A recruiter claims "${job.role}", but the receiver is down`);
  await claim(rowlock, job.id, 1);
  await wait('the first attempt', stop, async () =>
    (await deliveries()).some(({ attemptCount }) => attemptCount === 1),
  );
  const [failed] = await deliveries();
  say(`  the attempt failed: ${failed?.lastAttempt?.detail}`);
  say(`  the id of the message: ${failed?.messageId}`);

  headline('The receiver starts, three more recruiters fill the job, and one leaves');
  const receiver = await startReceiver(port, endpoint.secret);
  try {
    const ids = [];
    for (const recruiter of [2, 3, 4]) ids.push(await claim(rowlock, job.id, recruiter));
    await done(rowlock.releaseClaim({ id: ids.at(-1) ?? 0 }));
    await wait('the messages; the failed one is repeated after about 5 seconds', stop, async () => {
      const all = await deliveries();
      return all.length === MESSAGES && all.every(({ status }) => status === 'delivered');
    });

    headline('The company asks for the first message again, and the receiver knows its id');
    await done(rowlock.resendDelivery({ id: failed?.id ?? 0 }));
    await wait('the repeat', stop, async () => (await deliveries())[0]?.attemptCount === 3);

    headline('The deliveries, as the company sees them');
    say(tableOf(await deliveries()));
  } finally {
    await receiver.stop();
  }
}

/** The number of messages: four claims, one release, `job.full` and `job.open`. */
const MESSAGES = 7;

async function deliveriesTo(rowlock: Rowlock, id: Id): Promise<Delivery[]> {
  const { deliveries } = await done(rowlock.listDeliveries({ id }));
  return deliveries.toReversed();
}

const tableOf = (deliveries: Delivery[]): string =>
  plainTable(
    ['type', 'message', 'attempts', 'status'],
    deliveries.map((each) => [each.type, each.messageId, each.attemptCount, each.status]),
    [2],
  );

async function firstJob(rowlock: Rowlock) {
  const { jobs } = await done(rowlock.listJobs());
  const [job] = jobs;
  if (!job) throw new Error('the demo data has no job');
  return job;
}

async function claim(rowlock: Rowlock, jobId: Id, recruiterId: Id) {
  const { claim } = await done(rowlock.claimJob({ jobId, recruiterId }));
  return claim.id;
}

/** Returns the data of an answer. Throws if the answer is a problem. */
async function done<T>(asked: Promise<Done<T> | Problem>): Promise<T> {
  const answer = await asked;
  if (!answer.ok) throw new PlainError(`The service answered: ${answer.detail}`);
  return answer.data;
}

/** Runs the example as a thread, so the receiver always ends with this process. */
async function startReceiver(port: number, secret: string) {
  const thread = new Worker(await buildProgram('examples/receive-webhooks.ts'), {
    argv: [port],
    env: { WEBHOOK_SECRET: secret },
    stdout: true,
  });
  const output = createInterface({ input: thread.stdout });
  output.on('line', (line) => {
    clearProgress();
    say(`  receiver: ${line}`);
  });
  await Promise.race([
    once(output, 'line'),
    once(thread, 'exit').then(() => Promise.reject(new PlainError('The receiver did not start.'))),
  ]);
  return { stop: () => thread.terminate() };
}

async function wait(what: string, stop: AbortSignal, isSo: () => Promise<boolean>) {
  const look = () => {
    showProgress(`  waiting for ${what}`);
    return isSo();
  };
  const limits = { everyMs: LOOK_EVERY_MS, withinMs: LONGEST_WAIT_MS, stop };
  const came = await until(look, limits);
  clearProgress();
  if (!came) throw new PlainError(`This did not come within a minute: ${what}.`);
}

const say = (line: string) => print(`${line}\n`);
const headline = (text: string) => say(`\n${paint('bold', text)}`);
