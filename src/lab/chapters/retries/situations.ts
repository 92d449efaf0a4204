import type { Situation } from '../../chapter.ts';
import type { RetryStrategy } from './strategy.ts';

export interface RetrySituation extends Situation {
  /** How many different keys the requests have. By default all requests have the same key. */
  keys?: number;
  /** Whether one server handles all requests. By default each request has its own server. */
  oneServer?: true;
  /** How many servers may die in a schedule. */
  deaths?: number;
  /** How many answers to the server may be lost in a schedule. */
  lostAnswers?: number;
  /**
   * Whether the answer to the client is a separate step. Then the server may die before or after
   * the answer. Otherwise the answer belongs to the last step of the request, since no other
   * request notices the answer.
   */
  answersAreSteps?: true;
  /**
   * The clients ask again immediately, before time passes. By default the clients ask again two
   * days later.
   */
  asksAtOnce?: true;
  /**
   * The first request runs alone, and only its server may die. Then time passes, and the retries
   * come.
   */
  hasPrologue?: true;
  /** A server may be slow, so time may pass. This applies only to strategies that are `timed`. */
  timePasses?: true;
}

/**
 * The maximum number of schedules of most situations. 500 schedules take about two seconds. Two
 * strategies with many steps have some hundreds of schedules more than this maximum.
 */
const MOST = 500;

const alone: RetrySituation = {
  name: 'alone',
  idea: 'the server may die or lose an answer in each gap, and the retry comes two days later',
  sessions: 1,
  deaths: 1,
  lostAnswers: 1,
  answersAreSteps: true,
};

const early: RetrySituation = {
  ...alone,
  name: 'early',
  idea: 'the server may die or lose an answer in each gap, and the retry comes at once',
  asksAtOnce: true,
};

export const twoAtOnce: RetrySituation = {
  name: 'two-at-once',
  idea: 'the retry comes at any moment, to the same server',
  oneServer: true,
  most: MOST,
};

const crash: RetrySituation = {
  name: 'crash',
  idea: 'the retry comes at any moment, to another server, and one server may die',
  deaths: 1,
  most: MOST,
};

const twoKeys: RetrySituation = {
  name: 'two-keys',
  idea: 'two clients with different keys ask the same server at the same time',
  keys: 2,
  oneServer: true,
  // A hundred schedules are enough. Requests with different keys hardly touch the same rows, so the
  // order of their steps rarely matters.
  most: 100,
};

const crashTogether: RetrySituation = {
  name: 'crash-together',
  idea: 'the retry comes at any moment, to the same server, and this server may die',
  oneServer: true,
  deaths: 1,
  most: MOST,
};

const slow: RetrySituation = {
  name: 'slow',
  idea: 'the retry comes at any moment, to another server, and one server may be slow',
  timePasses: true,
  most: MOST,
};

const crashAndSlow: RetrySituation = {
  name: 'crash-and-slow',
  idea: 'the retry comes at any moment, to another server, one server may die, and one may be slow',
  deaths: 1,
  timePasses: true,
  most: MOST,
};

const takenOver: RetrySituation = {
  name: 'taken-over',
  idea: 'one server may die, and two retries come at once, two days later, to two other servers',
  sessions: 3,
  deaths: 1,
  timePasses: true,
  hasPrologue: true,
  most: 200,
};

export const situationsOf = ({
  timed,
  forgets,
}: Pick<RetryStrategy, 'timed' | 'forgets'>): readonly [RetrySituation, ...RetrySituation[]] => [
  alone,
  twoAtOnce,
  crash,
  twoKeys,
  crashTogether,
  ...(timed ? [slow, crashAndSlow, takenOver] : []),
  ...(forgets ? [early] : []),
];
