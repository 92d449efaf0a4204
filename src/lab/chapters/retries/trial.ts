import type { Database } from '../../../db/client.ts';
import type { Session } from '../../../db/session.ts';
import type { Effect, Trial } from '../../chapter.ts';
import { faultsOf, type Heard } from './faults.ts';
import { memoryOf } from './memory.ts';
import { Provider } from './provider.ts';
import type { RetrySituation } from './situations.ts';
import type { RetryStrategy, Server } from './strategy.ts';

/** The key of the request in all schedules. */
export const KEY = 'k';
/** The explorer lets as many days pass at once. */
const DAYS = 2;
/** After a crash the client asks a server that lives, or this server after its restart. */
const FIRST_SERVER = 1;

/** Makes a trial in which each session is a server that handles the same request. */
export function retryTrial(
  strategy: RetryStrategy,
  situation: RetrySituation,
  sessions: number,
): Trial {
  const { deaths = 0, lostAnswers = 0, oneServer, timePasses, answersAreSteps } = situation;
  const requests = situation.sessions ?? sessions;
  const processes = Array.from({ length: requests }, (_, index) => (oneServer ? 1 : index + 1));
  let provider = new Provider();
  /** The running servers, by their processes. Everything in a server is in its memory. */
  const servers = new Map<number, Started>();
  let heard: Heard[] = [];

  const serverOf = (process: number): Started => {
    const started = servers.get(process) ?? start(strategy);
    servers.set(process, started);
    return started;
  };

  async function ask(db: Database, effect: Effect, process: number): Promise<Handled> {
    const { handle, map } = serverOf(process);
    const server: Server = { charge: chargeAt(provider, effect), memory: memoryOf(map, effect) };
    try {
      return { answer: await handle(db, { key: KEY }, server) };
    } catch (error) {
      return { answer: { kind: 'error' }, error };
    }
  }

  const hear = (effect: Effect, answer: Heard) =>
    effect({ text: `answer: ${inWords(answer)}`, isAnswer: true }, () => void heard.push(answer));
  const hearDuring = async (effect: Effect, answer: Heard) =>
    answersAreSteps ? hear(effect, answer) : void heard.push(answer);

  const program =
    (process: number) =>
    async (db: Database, _sleep: unknown, effect: Effect): Promise<Heard> => {
      const { answer, error } = await ask(db, effect, process);
      await hearDuring(effect, answer);
      if (error) throw error;
      return answer;
    };

  /** The client asks again if it needs to, and then once more to compare the answers. */
  async function askAgain(db: Database, effect: Effect) {
    const wasTold = heard.some(({ kind }) => kind === 'done');
    const answers: Heard[] = [];
    for (let times = wasTold ? 1 : 2; times > 0; times--) {
      const { answer } = await ask(db, effect, FIRST_SERVER);
      await hear(effect, answer);
      answers.push(answer);
    }
    return answers;
  }

  return {
    async setUp(admin) {
      provider = new Provider();
      servers.clear();
      heard = [];
      await setUp(admin);
    },
    sessions: processes.map(program),
    processes,
    deaths,
    lostAnswers,
    died: (process) => void servers.delete(process),
    timePasses: Boolean(strategy.timed && timePasses),
    passTime: async () => provider.passDays(DAYS),
    afterwards: () => (db, _sleep, effect) => askAgain(db, effect),
    async judge(admin) {
      const charges = provider.charges + (await countInside(admin));
      return { faults: faultsOf({ charges, heard }), summary: `charged ${timesInWords(charges)}` };
    },
  };
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

const start = (strategy: RetryStrategy): Started => ({
  handle: strategy.restart?.() ?? strategy.handle.bind(strategy),
  map: new Map(),
});

const chargeAt =
  (provider: Provider, effect: Effect): Server['charge'] =>
  (how = {}) => {
    const text = how.key === undefined ? 'charge' : `charge with key ${how.key}`;
    const does = how.days === undefined ? { text } : { text, readsClock: true as const };
    return effect(does, () => provider.charge(how));
  };

function inWords(answer: Heard): string {
  if (answer.kind !== 'done') return answer.kind;
  return answer.receipt === null ? 'done, no receipt' : `done, receipt ${answer.receipt}`;
}

const timesInWords = (count: number) =>
  count === 0 ? 'never' : (['once', 'twice'][count - 1] ?? `${count} times`);

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

const query = async <Row>(admin: Session, text: string): Promise<Row[]> =>
  (await admin.run({ text, params: [], asArrays: false })) as unknown as Row[];

async function setUp(admin: Session) {
  if (!installed.has(admin)) await query(admin, INSTALL_SET_UP);
  installed.add(admin);
  await query(admin, 'select pg_temp.set_up_retries()');
}

/** Receipts begin at 1, so a schedule prints the same transcript each time. */
const INSTALL_SET_UP = `
  create function pg_temp.set_up_retries() returns void language plpgsql as $$
  begin
    delete from lab_retries.keys;
    delete from lab_retries.charges;
    delete from public.idempotency_keys;
    perform setval('lab_retries.charges_receipt_seq', 1, false);
  end $$`;

async function countInside(admin: Session): Promise<number> {
  const text = 'select count(*)::int as count from lab_retries.charges';
  const [row] = await query<{ count: number }>(admin, text);
  return row?.count ?? 0;
}
