import { type CrashRace, sumInWords } from '../../chapter.ts';
import { crowdOf, type LineSituation } from './situations.ts';
import { roleOf } from './trial.ts';

/** A session makes about this many steps. From this number we choose the step at which it dies. */
const STEPS_OF_SESSION = 12;

/** Holders give their slots back, and newcomers want these slots, while others wait in line. */
export const race: CrashRace<LineSituation> = {
  kind: 'crashes',
  shown: ['polling', 'offer-after-commit', 'offer-under-lock', 'production'],
  usual: { sessions: 8, capacity: 4 },
  capacityOption: 'slots',
  situation: ({ capacity, sessions }) => crowdOf(capacity, sessions),
  mostSteps: () => STEPS_OF_SESSION,
  counts: ['served', 'overtaken', 'idle'],
  words: {
    session: (number, { capacity }) => {
      const { acts } = crowdOf(capacity, 0);
      const { kind } = roleOf({ acts, capacity }, number);
      return kind === 'release' ? `Release ${number}` : `Newcomer ${number}`;
    },
    start: ({ sessions, capacity }) =>
      `${capacity} slots are taken, and ${sessions} recruiters wait. ${Math.ceil(sessions / 2)} holders ` +
      `release a slot, and ${Math.floor(sessions / 2)} newcomers want one. Some servers are killed.`,
    held: 'served the line in its order',
    sum: ({ overtaken = 0, idle = 0 }) => sumInWords({ overtaken, 'slots left idle': idle }),
  },
};
