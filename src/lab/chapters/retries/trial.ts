import type { Database } from '../../../platform/db/client.ts';
import type { Session } from '../../../platform/db/session.ts';
import { type Assessment, type Effect, hasRunOut, sessionsIn, type Trial } from '../../chapter.ts';
import { assertCanRun } from '../../stores/index.ts';
import { RedisKeys } from '../../stores/redis.ts';
import { faultsOf, type Heard, type RequestEnd } from './faults.ts';
import { keyOf, keysOf } from './keys.ts';
import { memoryOf } from './memory.ts';
import { Provider } from './provider.ts';
import { race } from './race.ts';
import type { RetrySituation } from './situations.ts';
import type { Answer, RetryStrategy, Server } from './strategy.ts';

/** How many days pass when the explorer lets time pass. */
const DAYS = 2;
/**
 * The number of the server that handles the repeats after the end of all sessions. If this server
 * has died, it has started again.
 */
const FIRST_SERVER = 1;

/** Makes a trial in which each session is a request. */
export function retryTrial(
  strategy: RetryStrategy,
  situation: RetrySituation,
  sessions: number,
): Trial {
  const { deaths = 0, lostAnswers = 0, oneServer, timePasses, answersAreSteps } = situation;
  const { asksAtOnce = false, hasPrologue = false, keys: count = 1 } = situation;
  const requests = sessionsIn(situation, sessions);
  const keys = keysOf(count);
  const processes = Array.from({ length: requests }, (_, index) => (oneServer ? 1 : index + 1));
  let provider = new Provider();
  const redis = new RedisKeys();
  /**
   * The running servers, by the numbers of their processes. A server that dies is deleted here, and
   * so loses its memory.
   */
  const servers = new Map<number, Started>();
  /** The answers to the client of each key. */
  let heard = new Map<string, Heard[]>();
  const heardOf = (key: string) => heard.get(key) ?? [];
  const wasTold = (key: string) => heardOf(key).some(({ kind }) => kind === 'done');
  /** The keys whose client was told that it was charged, though nobody had charged it. */
  const deceived = new Set<string>();
  let admin: Session;

  const serverOf = (process: number): Started => {
    const started = servers.get(process) ?? start(strategy);
    servers.set(process, started);
    return started;
  };

  async function ask(db: Database, effect: Effect, process: number, key: string): Promise<Handled> {
    const { handle, map } = serverOf(process);
    const server: Server = {
      charge: chargeAt(provider, effect, key),
      memory: memoryOf(map, effect, process),
      redis: redis.commandsBy(effect),
    };
    try {
      return { answer: readAnswer(await handle(db, { key }, server)) };
    } catch (error) {
      return { answer: { kind: 'error' }, error };
    }
  }

  const keep = (key: string, answer: Heard) => void heard.set(key, [...heardOf(key), answer]);
  /** The requests without an answer yet. */
  const open = new Set<Asked>();
  const end = (request: Asked, answer: Heard) => {
    open.delete(request);
    keep(request.key, answer);
  };
  const hear = (effect: Effect, answer: Heard, act: () => void) =>
    effect({ text: `answer: ${inWords(answer)}`, isAnswer: true }, act);
  const hearDuring = async (effect: Effect, request: Asked, answer: Heard) =>
    answersAreSteps ? hear(effect, answer, () => end(request, answer)) : end(request, answer);

  const client = keys.length === 1 ? () => 'the client' : (key: string) => `the client of ${key}`;

  const program =
    (process: number, key: string) =>
    async (db: Database, _sleep: unknown, effect: Effect): Promise<Heard> => {
      const request = { process, key };
      open.add(request);
      const { answer, error } = await ask(db, effect, process, key);
      await hearDuring(effect, request, answer);
      if (error) throw error;
      return answer;
    };

  /**
   * Lets a client ask again if nobody has told it that it was charged. Then the client asks once
   * more, so that we can compare the answers. A real client would not do this after `done`. So
   * before each request, we check whether a client that was told `done` was really charged.
   */
  async function askAgain(db: Database, effect: Effect, key: string) {
    const answers: Heard[] = [];
    const askIt = async (when: string) => {
      // We count the charges within the step. Outside of a step, the explorer would not wait for
      // our query.
      const isSilence = heardOf(key).every(({ kind }) => kind === 'nothing');
      const silence = isSilence ? ' has heard nothing, and' : '';
      await effect(`${client(key)}${silence} asks again, ${when}`, async () => {
        if (wasTold(key) && (await receiptsOf(key)).length === 0) deceived.add(key);
      });
      const { answer } = await ask(db, effect, FIRST_SERVER, key);
      await hear(effect, answer, () => keep(key, answer));
      answers.push(answer);
    };
    let when = asksAtOnce ? 'at once' : `${DAYS} days later`;
    if (!wasTold(key)) {
      await askIt(when);
      when = 'at once';
    }
    await askIt(wasTold(key) ? `${when}, to compare the answers` : when);
    return answers;
  }

  /** Returns the receipts of all charges for this key, inside and outside the database. */
  async function receiptsOf(key: string): Promise<string[]> {
    const outside = (provider.receipts.get(key) ?? []).map(String);
    return [...outside, ...(await receiptsInside(admin, key))];
  }

  async function allAskAgain(db: Database, effect: Effect) {
    const answers: Heard[] = [];
    for (const key of keys) answers.push(...(await askAgain(db, effect, key)));
    return answers;
  }

  return {
    async setUp(session) {
      assertCanRun(strategy);
      admin = session;
      provider = new Provider();
      servers.clear();
      heard = new Map();
      open.clear();
      deceived.clear();
      await redis.clear();
      await setUp(admin);
    },
    sessions: processes.map((process, index) => program(process, keyOf(index + 1, count))),
    // After the sessions, the client asks server 1. So requests on two servers are not identical.
    areIdentical: oneServer === true && keys.length === 1,
    processes,
    hasPrologue,
    deaths,
    lostAnswers,
    died(process) {
      servers.delete(process);
      for (const request of open)
        if (request.process === process) end(request, { kind: 'nothing' });
    },
    timePasses: Boolean(strategy.timed && timePasses),
    async passTime() {
      provider.passDays(DAYS);
      await redis.passTime();
    },
    runOut: async (session) => [
      ...(await keysRunOut(session)),
      ...provider.forgottenIn(DAYS),
      ...redis.runOut(),
    ],
    afterwardsAtOnce: asksAtOnce,
    assertIntact: () => redis.assertIntact(),
    afterwards: () => (db, _sleep, effect) => allAskAgain(db, effect),
    async judge() {
      await redis.clear();
      const ends: RequestEnd[] = [];
      for (const key of keys)
        ends.push({
          receipts: await receiptsOf(key),
          wasDeceived: deceived.has(key),
          heard: heardOf(key),
        });
      return assess(ends);
    },
  };
}

function assess(requests: RequestEnd[]): Assessment {
  const [only, another] = requests;
  const counts = countEnds(requests);
  const each = only ? say(only) : '';
  return {
    faults: [...new Set(requests.flatMap(faultsOf))],
    summary: another ? sumUp(counts) : each,
    counts,
  };
}

const sumUp = ({ once, ...wrong }: ReturnType<typeof countEnds>) =>
  [`${once} charged once`, race.words.sum(wrong)].filter(Boolean).join(', ');

const say = ({ receipts, heard }: RequestEnd) =>
  `${chargedInWords(receipts.length)}, and the client heard: ${heard.map(inWords).join('; then ')}`;

/** Counts the requests by their end. A request with several faults counts only for the gravest. */
function countEnds(requests: RequestEnd[]) {
  const ends = { once: 0, twice: 0, never: 0, untold: 0 };
  for (const { receipts, heard, wasDeceived } of requests)
    if (receipts.length > 1) ends.twice++;
    else if (receipts.length === 0 || wasDeceived) ends.never++;
    else ends[heard.some(({ kind }) => kind === 'done') ? 'once' : 'untold']++;
  return ends;
}

/** The error if a strategy returned a value that is no answer. The client then gets HTTP 500. */
class NoAnswer extends Error {
  override name = 'NoAnswer';
}

function readAnswer(returned: Answer | undefined): Answer {
  if (returned?.kind === 'done' || returned?.kind === 'running') return returned;
  throw new NoAnswer('handle returned something that is no answer');
}

/** A request that its server has begun to handle. */
interface Asked {
  process: number;
  key: string;
}

interface Handled {
  answer: Heard;
  error?: unknown;
}

/** A server that was started, with its memory. */
interface Started {
  handle: RetryStrategy['handle'];
  map: Map<string, unknown>;
}

/**
 * Returns a line for each key and for each lease that ended when time passed. A key with an answer
 * needs no lease.
 */
async function keysRunOut(admin: Session): Promise<string[]> {
  const text = `
    select 'the lease of key ' || key || ' ends' as ends
      from lab_retries.keys where status = 'pending' and ${hasRunOut('lease_until')}
    union all
    select 'key ' || key || ' ends' from public.idempotency_keys where ${hasRunOut('expires_at')}
    order by 1`;
  const rows = await query<{ ends: string }>(admin, text);
  return rows.map(({ ends }) => ends);
}

const start = (strategy: RetryStrategy): Started => ({
  handle: strategy.restart?.() ?? strategy.handle.bind(strategy),
  map: new Map(),
});

const chargeAt =
  (provider: Provider, effect: Effect, of: string): Server['charge'] =>
  async (how = {}) => {
    const text = how.key === undefined ? 'charge' : `charge with key ${how.key}`;
    const does = how.days === undefined ? { text } : { text, readsClock: true as const };
    let receipt = 0;
    await effect(does, () => {
      receipt = provider.charge(of, how);
      return `receipt ${receipt}`;
    });
    return receipt;
  };

function inWords(answer: Heard): string {
  if (answer.kind === 'nothing') return 'nothing, since the server died';
  if (answer.kind !== 'done') return answer.kind;
  return answer.receipt === null ? 'done, no receipt' : `done, receipt ${answer.receipt}`;
}

const chargedInWords = (count: number) =>
  count === 0 ? 'never charged' : `charged ${['once', 'twice'][count - 1] ?? `${count} times`}`;

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

const query = async <Row>(admin: Session, text: string, params: unknown[] = []): Promise<Row[]> =>
  (await admin.run({ text, params, asArrays: false })) as unknown as Row[];

async function setUp(admin: Session) {
  if (!installed.has(admin)) await query(admin, INSTALL_SET_UP);
  installed.add(admin);
  await query(admin, 'select pg_temp.set_up_retries()');
}

/**
 * The SQL that makes the set-up function. Receipts begin at 1, so a schedule prints the same
 * transcript each time.
 */
const INSTALL_SET_UP = `
  create or replace function pg_temp.set_up_retries() returns void language plpgsql as $$
  begin
    delete from lab_retries.keys;
    delete from lab_retries.charges;
    delete from public.idempotency_keys;
    perform setval('lab_retries.charges_receipt_seq', 1, false);
  end $$`;

/** Returns the receipts of the charges in our own database. */
async function receiptsInside(admin: Session, key: string): Promise<string[]> {
  const text = 'select receipt::text from lab_retries.charges where key = $1';
  const rows = await query<{ receipt: string }>(admin, text, [key]);
  return rows.map(({ receipt }) => receipt);
}
