import { type CrashRace, type RaceSize, sumInWords } from '../../chapter.ts';
import { keyOf } from './keys.ts';
import type { RetrySituation } from './situations.ts';

/**
 * Most strategies handle a request in about this many steps. From this number we choose the step at
 * which a server dies. So most servers die during a request.
 */
const STEPS_OF_REQUEST = 5;

/**
 * Each key comes in several requests at the same time. Some servers are killed, and the clients ask
 * again.
 */
export const race: CrashRace<RetrySituation> = {
  kind: 'crashes',
  shown: ['check-then-act', 'insert-first', 'production'],
  usual: { sessions: 12, capacity: 4 },
  capacityOption: 'keys',
  situation: ({ capacity, sessions }) => ({
    name: 'race',
    idea: 'many requests at once, each on its own server, and some servers are killed',
    keys: keysIn({ capacity, sessions }),
    sessions,
  }),
  mostSteps: () => STEPS_OF_REQUEST,
  counts: ['once', 'twice', 'never', 'untold'],
  words: {
    session: (number, size) => `Request ${number} with key ${keyOf(number, keysIn(size))}`,
    start: ({ sessions, capacity }) =>
      `${sessions} requests with ${capacity} keys come at once, each on its own server, and some ` +
      'servers are killed. Later each client asks again.',
    held: 'charged once for each key',
    sum: ({ twice = 0, never = 0, untold = 0 }) =>
      sumInWords({
        'charged twice': twice,
        'never charged': never,
        'charged and never told': untold,
      }),
  },
};

/**
 * Returns the number of keys. There are no more keys than requests, so that each key has a request.
 */
const keysIn = ({ capacity, sessions }: RaceSize): number => Math.min(capacity, sessions);
