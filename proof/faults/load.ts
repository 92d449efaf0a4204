import { randomUUID } from 'node:crypto';
import { type Backoff, pause, pauseAfter } from '../../src/platform/waiting/backoff.ts';
import { until } from '../../src/platform/waiting/until.ts';
import { QUEUE_LIMITS } from '../../src/service/claims/limits.ts';
import {
  claimsIn,
  nameOf,
  type Reply,
  type Request,
  requestFor,
  resultOf,
  type Settled,
  send,
} from './ask.ts';
import type { Ledger } from './ledger.ts';
import type { Operation, OperationResult } from './possible.ts';

/** The number of requests, and the number of answers of each kind. */
export interface Counts {
  requests: number;
  answers: Record<string, number>;
}

export interface LoadSettings {
  /**
   * The addresses of the servers. Each request goes to a random server. A repeat may go to a
   * different server.
   */
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
  /**
   * The moment at which an additional copy of the request is sent, even if the request was
   * answered. Set this only with `keyed`. Repeats after a lost answer do not depend on this
   * setting.
   */
  again?: 'after its answer' | 'at once' | undefined;
}

/** The time for which a request without a result is repeated after the faults have ended. */
const CONVERGE_MS = 30_000;
/**
 * The maximum wait for the answers to some requests. After a longer wait, no further faults follow.
 */
export const NO_ANSWERS_MS = 60_000;
/** The pauses before repeats are random, so clients do not all repeat at the same moment. */
const BACKOFF: Backoff = { shortestMs: 60, longestMs: 60, jitter: 1 };
const LOOK_MS = 5;
const REST_LOOK_MS = 50;

/** Thrown if the service no longer answers. No further faults follow. */
export class NoAnswers extends Error {}

/**
 * Sends operations, and records their results. A request that had no effect is sent again. A
 * request whose answer was lost is also sent again. If the request has a key, the repeat is the
 * same operation. If the request has no key, the repeat is a new operation.
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
   * Ends the load after the last fault. If an operation has no result `CONVERGE_MS` later, the
   * ledger records an unknown result and a finding.
   */
  end() {
    this.#deadline = Date.now() + CONVERGE_MS;
  }

  get hasEnded(): boolean {
    return this.#deadline < Infinity;
  }

  /** From now on, no recruiter begins an operation. `goOn` and `end` end this rest. */
  rest() {
    this.#isResting = true;
  }

  goOn() {
    this.#isResting = false;
  }

  /** True if no operation is running. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Resolves when the recruiters may begin their next operation, or when the load has ended. */
  async turn() {
    const isOver = () => !this.#isResting || this.hasEnded;
    if (!isOver()) await until(isOver, { everyMs: REST_LOOK_MS });
  }

  /**
   * Resolves when this many more answers with a status 2xx or 4xx have come. Throws `NoAnswers` if
   * this takes longer than `NO_ANSWERS_MS`.
   */
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
   * Sends an operation until its result is known, or until the time after `end` is over. With a
   * key, each repeat is the same operation. Without a key, a request whose answer was lost is
   * recorded with an unknown result, and its repeat is a new operation.
   */
  async settle(did: Operation, how: How): Promise<OperationResult> {
    this.#running++;
    try {
      return await this.#settle(did, how);
    } finally {
      this.#running--;
    }
  }

  async #settle(did: Operation, { keyed, byGet = false, again }: How): Promise<OperationResult> {
    const key = keyed ? randomUUID() : undefined;
    const request = requestFor(did, byGet, key);
    const atOnce = again === 'at once' && this.#repeat(did, request);
    const result = await this.#untilKnown(did, request);
    if (again === 'after its answer') await this.#repeat(did, request);
    await atOnce;
    return result;
  }

  /** Counts a request under the name of its answer. */
  count(name: string) {
    this.counts.requests++;
    this.counts.answers[name] = (this.counts.answers[name] ?? 0) + 1;
  }

  /**
   * Reads a recruiter's claims. Returns the claim ids by job id. The result is empty if there is no
   * answer.
   */
  async look(recruiterId: string): Promise<Map<string, string>> {
    const request = { path: `/recruiters/${recruiterId}/claims?limit=100`, method: 'GET' };
    return claimsIn(await this.#send(request));
  }

  async #untilKnown(did: Operation, request: Request): Promise<OperationResult> {
    const { ledger, now } = this.#settings;
    let from = now();
    let runs = false;
    for (;;) {
      const { settled, late } = await this.#attempt(did, request);
      runs ||= late;
      const isKnown = isResult(settled);
      if (isKnown || this.#isTooLate()) {
        const result = isKnown ? settled : this.#unanswered(did, runs);
        ledger.record(did, result, { from, to: now() });
        return result;
      }
      if (settled.kind === 'unknown' && request.key === undefined) {
        ledger.record(did, { kind: 'unknown', runs }, { from, to: now() });
        from = now();
        runs = false;
      }
      await pause(pauseAfter(0, BACKOFF));
    }
  }

  /**
   * Sends an additional copy of a request until the copy is answered. The ledger does not record
   * the result again, but compares the answers.
   */
  async #repeat(did: Operation, request: Request) {
    while (!isResult((await this.#attempt(did, request)).settled)) {
      if (this.#isTooLate()) return;
      await pause(pauseAfter(0, BACKOFF));
    }
  }

  async #attempt(did: Operation, request: Request) {
    const { ledger } = this.#settings;
    const began = Date.now();
    const reply = await this.#send(request);
    const late = Date.now() - began >= QUEUE_LIMITS.answerMs;
    const settled = resultOf(did, reply, late);
    if (settled.kind === 'unexpected')
      ledger.add({
        promise: 'the server answers',
        what: `a ${did.kind} was answered ${nameOf(reply)}`,
      });
    if (request.key !== undefined && isResult(settled) && reply.kind === 'answer')
      ledger.answered(request.key, reply);
    return { settled: settled.kind === 'unexpected' ? unknown(late) : settled, late };
  }

  async #send(request: Request): Promise<Reply> {
    const { urls } = this.#settings;
    const reply = await send(urls[Math.floor(Math.random() * urls.length)] ?? '', request);
    this.count(nameOf(reply));
    return reply;
  }

  #unanswered(did: Operation, runs: boolean): OperationResult {
    const what = `a ${did.kind} had no result ${CONVERGE_MS} ms after the faults had ended`;
    this.#settings.ledger.add({ promise: 'the server answers', what });
    return unknown(runs);
  }

  #isTooLate(): boolean {
    return Date.now() > this.#deadline;
  }
}

const unknown = (runs: boolean) => ({ kind: 'unknown', runs }) as const;
const isResult = (settled: Settled): settled is Exclude<OperationResult, { kind: 'unknown' }> =>
  settled.kind !== 'not done' && settled.kind !== 'unknown' && settled.kind !== 'unexpected';
