import { randomUUID } from 'node:crypto';
import { QUEUE_LIMITS } from '../claims/limits.ts';
import { type Backoff, pause, pauseAfter } from '../waiting/backoff.ts';
import { until } from '../waiting/until.ts';
import {
  claimsIn,
  nameOf,
  type Reply,
  type Request,
  requestFor,
  type Settled,
  send,
  verdictOn,
} from './ask.ts';
import type { Ledger } from './ledger.ts';
import type { Operation, Verdict } from './possible.ts';

/** How many requests were sent, and how many answers of each kind came. */
export interface Counts {
  requests: number;
  answers: Record<string, number>;
}

export interface LoadSettings {
  /** Each request goes to one of these servers. Its repeat may go to another. */
  urls: string[];
  ledger: Ledger;
  /** Returns the database's time in milliseconds. */
  now: () => number;
}

export interface How {
  /** Whether the request has an idempotency key. */
  keyed: boolean;
  /** Whether a claim without a lease uses `GET /claim-job`. Other operations ignore this. */
  byGet?: boolean;
  /** When to send the request a second time. Only a request with a key is sent twice. */
  again?: 'after its answer' | 'at once' | undefined;
}

/** How long requests are repeated after the faults have ended. */
const CONVERGE_MS = 30_000;
/** If the load makes too little progress for this long, the faults end. */
export const NO_ANSWERS_MS = 60_000;
/** The pauses before repeats. They are random, so clients do not all repeat at the same moment. */
const BACKOFF: Backoff = { shortestMs: 60, longestMs: 60, jitter: 1 };
const LOOK_MS = 5;
const REST_LOOK_MS = 50;

/** The service no longer answers, so no further faults follow. */
export class NoAnswers extends Error {}

/**
 * Sends operations, and records their results. Each operation is sent again until its result is
 * known.
 */
export class Load {
  readonly counts: Counts = { requests: 0, answers: {} };
  readonly #settings: LoadSettings;
  #deadline = Infinity;
  #isResting = false;
  #running = 0;

  constructor(settings: LoadSettings) {
    this.#settings = settings;
  }

  /**
   * Call this when the faults are over. If an operation then has no result after `CONVERGE_MS`, the
   * operation is recorded as unknown, and a finding is added.
   */
  end() {
    this.#deadline = Date.now() + CONVERGE_MS;
  }

  get hasEnded(): boolean {
    return this.#deadline < Infinity;
  }

  /** Lets the recruiters begin no operation until `goOn` is called. */
  rest() {
    this.#isResting = true;
  }

  goOn() {
    this.#isResting = false;
  }

  /** Whether every operation that began has its result. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Resolves when the recruiters may begin their next operation, or when the load has ended. */
  async turn() {
    const isOver = () => !this.#isResting || this.hasEnded;
    if (!isOver()) await until(isOver, { everyMs: REST_LOOK_MS });
  }

  /** Resolves when this many more requests have been granted or refused. Throws `NoAnswers`. */
  async pass(answers: number, stop: AbortSignal) {
    const before = this.#answered();
    const passed = () => this.#answered() - before;
    const looks = { everyMs: LOOK_MS, withinMs: NO_ANSWERS_MS, stop };
    if (!(await until(() => passed() >= answers, looks)))
      throw new NoAnswers(
        `${passed()} of ${answers} requests were granted or refused within ${NO_ANSWERS_MS} ms`,
      );
  }

  #answered(): number {
    const counts = Object.entries(this.counts.answers);
    return counts.reduce((sum, [name, count]) => (/^[24]/.test(name) ? sum + count : sum), 0);
  }

  /**
   * Sends an operation until its result is known. With a key, each repeat is the same operation.
   * Without a key, a request whose answer was lost is recorded as an operation with an unknown
   * result, and the next request is a new operation.
   */
  async settle(did: Operation, how: How): Promise<Verdict> {
    this.#running++;
    try {
      return await this.#settle(did, how);
    } finally {
      this.#running--;
    }
  }

  async #settle(did: Operation, { keyed, byGet = false, again }: How): Promise<Verdict> {
    const key = keyed ? randomUUID() : undefined;
    const request = requestFor(did, byGet, key);
    const atOnce = again === 'at once' && this.#repeat(did, request);
    const verdict = await this.#untilKnown(did, request);
    if (again === 'after its answer') await this.#repeat(did, request);
    await atOnce;
    return verdict;
  }

  /** Counts a request under the name of its answer. */
  count(name: string) {
    this.counts.requests++;
    this.counts.answers[name] = (this.counts.answers[name] ?? 0) + 1;
  }

  /** Requests a recruiter's claims. Returns the claim ids by job. Empty if there is no answer. */
  async look(recruiterId: string): Promise<Map<string, string>> {
    const request = { path: `/recruiters/${recruiterId}/claims?limit=100`, method: 'GET' };
    return claimsIn(await this.#send(request));
  }

  async #untilKnown(did: Operation, request: Request): Promise<Verdict> {
    const { ledger, now } = this.#settings;
    let from = now();
    let runs = false;
    for (;;) {
      const { settled, late } = await this.#attempt(did, request);
      runs ||= late;
      const isKnown = isVerdict(settled);
      if (isKnown || this.#isTooLate()) {
        const verdict = isKnown ? settled : this.#unanswered(did, runs);
        ledger.record(did, verdict, { from, to: now() });
        return verdict;
      }
      if (settled.kind === 'unknown' && request.key === undefined) {
        ledger.record(did, { kind: 'unknown', runs }, { from, to: now() });
        from = now();
        runs = false;
      }
      await pause(pauseAfter(0, BACKOFF));
    }
  }

  /** Sends the same operation again. The ledger records its result only once. */
  async #repeat(did: Operation, request: Request) {
    while (!isVerdict((await this.#attempt(did, request)).settled)) {
      if (this.#isTooLate()) return;
      await pause(pauseAfter(0, BACKOFF));
    }
  }

  async #attempt(did: Operation, request: Request) {
    const { ledger } = this.#settings;
    const began = Date.now();
    const reply = await this.#send(request);
    const late = Date.now() - began >= QUEUE_LIMITS.answerMs;
    const settled = verdictOn(did, reply, late);
    if (settled.kind === 'unexpected')
      ledger.add({
        promise: 'the server answers',
        what: `a ${did.kind} was answered ${nameOf(reply)}`,
      });
    if (request.key !== undefined && isVerdict(settled) && reply.kind === 'answer')
      ledger.answered(request.key, reply);
    return { settled: settled.kind === 'unexpected' ? unknown(late) : settled, late };
  }

  async #send(request: Request): Promise<Reply> {
    const { urls } = this.#settings;
    const reply = await send(urls[Math.floor(Math.random() * urls.length)] ?? '', request);
    this.count(nameOf(reply));
    return reply;
  }

  #unanswered(did: Operation, runs: boolean): Verdict {
    const what = `a ${did.kind} had no result ${CONVERGE_MS} ms after the faults had ended`;
    this.#settings.ledger.add({ promise: 'the server answers', what });
    return unknown(runs);
  }

  #isTooLate(): boolean {
    return Date.now() > this.#deadline;
  }
}

const unknown = (runs: boolean) => ({ kind: 'unknown', runs }) as const;
const isVerdict = (settled: Settled): settled is Exclude<Verdict, { kind: 'unknown' }> =>
  settled.kind !== 'not done' && settled.kind !== 'unknown' && settled.kind !== 'unexpected';
