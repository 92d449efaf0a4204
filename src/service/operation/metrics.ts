import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { StatementTime } from '../../platform/db/client.ts';
import { countLapsedOffers } from '../claims/queries.ts';
import type { Outcome } from '../claims/rules.ts';
import { type AddGauge, createTaskMetrics } from './tasks/metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The buckets of the histograms, in seconds. The smallest bucket is about one round trip to an idle
 * database. The largest bucket is the maximum time until a claim has its answer.
 */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Makes the metrics for Prometheus, in a separate registry. No label contains free text from a
 * request.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const outcomes = new Counter({
    name: 'rowlock_claim_outcomes_total',
    help: 'Answers to claims, by outcome. Replayed answers do not count again.',
    labelNames: ['outcome'],
    registers,
  });
  const lockWait = new Histogram({
    name: 'rowlock_lock_wait_seconds',
    help: 'Time for SELECT ... FOR UPDATE of a job: the wait for its lock and one round trip.',
    buckets: SECONDS,
    registers,
  });
  const requests = new Histogram({
    name: 'rowlock_request_duration_seconds',
    help: 'Time to answer a request, by method, route and class of status.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const followersCut = new Counter({
    name: 'rowlock_followers_cut_total',
    help: 'Followers that were cut off, because they read no data for a minute.',
    registers,
  });
  new Counter({
    name: 'rowlock_offers_lapsed_total',
    help: 'Offers of the waitlist that this process removed, because nobody accepted them in time.',
    registers,
    collect() {
      this.reset();
      this.inc(countLapsedOffers());
    },
  });
  const gauge: AddGauge = (name, help, read) => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  };
  return {
    /** Counts the answer to a claim. */
    outcome: (outcome: Outcome['kind']) => outcomes.inc({ outcome }),
    /**
     * Measures an ended statement of a request. Requests use FOR UPDATE only to lock jobs, and take
     * all other locks with FOR NO KEY UPDATE.
     */
    statement({ text, seconds }: StatementTime) {
      if (text.includes(' for update')) lockWait.observe(seconds);
    },
    request({ method, route, status, seconds }: AnsweredRequest) {
      requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
    },
    followerCut: () => followersCut.inc(),
    tasks: createTaskMetrics(registers, gauge),
    gauge,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

export interface AnsweredRequest {
  /**
   * A known method or `other`, so that the number of different labels is limited. The number of
   * routes is limited too.
   */
  method: string;
  route: string;
  status: number;
  seconds: number;
}
