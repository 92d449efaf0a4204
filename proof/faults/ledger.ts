import {
  after,
  holding,
  implied,
  lapse,
  type Operation,
  type OperationResult,
  type Span,
  type State,
  withEffect,
} from './possible.ts';

/** The promises of the service that a fault may break. */
export type Promised =
  | 'capacity'
  | 'acknowledged changes are kept'
  | 'only requested changes are made'
  | 'first come, first served'
  | 'nobody waits twice, or waits and holds'
  | 'no slot is idle while somebody waits'
  | 'each key has one answer'
  | 'the server answers'
  | 'the server lives'
  | 'the memory does not grow'
  | 'every committed event arrives'
  | 'only committed events arrive'
  | 'each repeat is the same'
  | 'each task has one holder'
  | 'only the holder writes an outcome'
  | 'no worker waits for another'
  | 'each attempt ends once'
  | 'no task is stuck'
  | 'the worker lives';

export interface Finding {
  promise: Promised;
  what: string;
}

/** A live claim in the table at the time of the audit. */
export interface ClaimRow {
  id: string;
  jobId: string;
  recruiterId: string;
}

/**
 * A row of the idempotency keys. `status` and `body` are null if the row was committed without an
 * answer.
 */
export interface KeyRow {
  key: string;
  status: number | null;
  body: string | null;
}

type StoredAnswer = { status: number; body: string };

/** Our knowledge about one recruiter and one job. */
interface Known {
  states: State[];
  /** Operations that may still take effect at any later time. Each operation began at `from`. */
  running: { did: Operation; from: number }[];
}

/**
 * Records all requests and answers, and derives the possible states of the database for each job
 * and recruiter. An answer that fits no possible state is a finding.
 *
 * At the beginning there are no claims. Record the operations of one job and recruiter in their
 * order, and record each operation once. A request that is sent again with the same key is the same
 * operation.
 */
export class Ledger {
  readonly findings: Finding[] = [];
  readonly #pairs = new Map<string, Known>();
  readonly #claims = new Set<string>();
  readonly #answers = new Map<string, StoredAnswer>();

  /** Records the result of an operation that began and ended within the span. */
  record(did: Operation, result: OperationResult, at: Span) {
    const pair = this.#pair(did);
    const before = possible(pair, at);
    const states = after(before, did, result, at);
    if (states.length === 0) this.#find(unexplained(did, result, before));
    if (result.kind === 'claimed') this.#claimedOnce(result.id);
    if (result.kind === 'unknown' && result.runs) pair.running.push({ did, from: at.from });
    pair.states = states.length === 0 ? implied(did, result) : states;
  }

  /** Records the answer to a request with a key. Each repeat must get the same answer. */
  answered(key: string, answer: StoredAnswer) {
    const first = this.#answers.get(key);
    if (first === undefined) this.#answers.set(key, answer);
    else if (first.status !== answer.status || first.body !== answer.body)
      this.#find({
        promise: 'each key has one answer',
        what: `${key} was answered ${first.status}, and then differently with ${answer.status}`,
      });
  }

  /** Compares the live claims in the table with the states that are possible at this time. */
  judgeClaims(rows: ClaimRow[], at: Span) {
    const inTable = new Map(rows.map((row) => [nameOf(row), row]));
    for (const row of rows) this.#pair(row);
    for (const [name, pair] of this.#pairs) {
      const row = inTable.get(name);
      const states = possible(pair, at);
      if (row === undefined && !states.includes('free'))
        this.#find({
          promise: 'acknowledged changes are kept',
          what: `${name} holds ${wordsFor(states)}, and the table has nothing`,
        });
      if (row !== undefined && !states.some(holding(row.id)))
        this.#find({
          promise: 'only requested changes are made',
          what: `the table has claim ${row.id} of ${name}, which holds ${wordsFor(states)}`,
        });
    }
  }

  /** Compares the stored keys with the answers to their requests. */
  judgeKeys(rows: KeyRow[]) {
    const stored = new Map(rows.map((row) => [row.key, row]));
    for (const { key, status } of rows)
      if (status === null)
        this.#find({ promise: 'each key has one answer', what: `${key} is stored unanswered` });
    for (const [key, { status, body }] of this.#answers) {
      const row = stored.get(key);
      if (row?.status !== status || row.body !== body)
        this.#find({
          promise: 'acknowledged changes are kept',
          what: `${key} was answered ${status}, and ${row?.status ?? 'nothing'} is stored`,
        });
    }
  }

  /** Adds a finding of another check. */
  add(finding: Finding) {
    this.#find(finding);
  }

  /** Adds a finding, unless the ledger has this finding already. Some checks run repeatedly. */
  #find(finding: Finding) {
    if (!this.findings.some(({ what }) => what === finding.what)) this.findings.push(finding);
  }

  #claimedOnce(id: string) {
    if (this.#claims.has(id))
      this.#find({ promise: 'capacity', what: `claim ${id} was given out twice` });
    this.#claims.add(id);
  }

  #pair(of: { jobId: string; recruiterId: string }): Known {
    const name = nameOf(of);
    const pair = this.#pairs.get(name) ?? { states: ['free'], running: [] };
    this.#pairs.set(name, pair);
    return pair;
  }
}

function possible({ states, running }: Known, at: Span): State[] {
  const open = running.reduce(
    (some, { did, from }) => withEffect(some, did, { from, to: at.to }),
    states,
  );
  return lapse(open, at);
}

const nameOf = ({ jobId, recruiterId }: { jobId: string; recruiterId: string }) =>
  `recruiter ${recruiterId} of job ${jobId}`;

const wordsFor = (states: State[]) =>
  states
    .map((each) => (each === 'free' ? 'nothing' : `claim ${each.id ?? 'of an unknown id'}`))
    .join(' or ') || 'nothing that is possible';

const unexplained = (did: Operation, { kind }: OperationResult, states: State[]): Finding => ({
  promise:
    kind === 'claimed' || kind === 'duplicate'
      ? 'only requested changes are made'
      : 'acknowledged changes are kept',
  what: `${nameOf(did)}: ${did.kind} was answered ${kind}, with ${wordsFor(states)} held`,
});
