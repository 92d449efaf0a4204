import { type CrashRace, sumInWords } from '../../chapter.ts';
import type { QueueSituation } from './situations.ts';

/**
 * A task takes about this many steps. From this number we choose the step at which a worker dies.
 * So most workers die while there is work to do.
 */
const STEPS_OF_TASK = 6;

/** Workers do many tasks at full speed, and some workers are killed. */
export const race: CrashRace<QueueSituation> = {
  kind: 'crashes',
  shown: ['select-then-update', 'skip-locked', 'production'],
  usual: { sessions: 5, capacity: 20 },
  capacityOption: 'tasks',
  situation: ({ capacity, sessions }) => ({
    name: 'race',
    idea: 'many workers, many tasks, and some workers are killed',
    tasks: capacity,
    sessions,
    untilIdle: true,
  }),
  mostSteps: ({ sessions, capacity }) => Math.ceil((STEPS_OF_TASK * capacity) / sessions),
  counts: ['once', 'twice', 'lost', 'stuck'],
  words: {
    session: (number) => `Worker ${number}`,
    start: ({ sessions, capacity }) =>
      `${sessions} workers do ${capacity} tasks at full speed, and some workers are killed. ` +
      'Later a new worker does all that is due.',
    held: 'did every task once',
    sum: ({ twice = 0, lost = 0, stuck = 0 }) =>
      sumInWords({ 'done twice': twice, lost, 'left unfinished for ever': stuck }),
  },
};
