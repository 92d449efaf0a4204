import { type CrashRace, type RaceSize, sumInWords } from '../../chapter.ts';
import { crowdOf, type LineSituation, roleOf } from './situations.ts';
import { counted } from './state.ts';

/**
 * A server makes about this many steps. From this number we choose the step at which it dies. So some
 * servers die, and others end before their death.
 */
const STEPS_OF_SESSION = 8;

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
    session: (number, size) =>
      isRelease(number, size) ? `Release ${number}` : `Newcomer ${number}`,
    start: (size) => {
      const numbers = Array.from({ length: size.sessions }, (_, index) => index + 1);
      const releases = numbers.filter((number) => isRelease(number, size)).length;
      return (
        `A job has ${counted(size.capacity, 'slot')}, and all are taken. ` +
        `${counted(size.sessions, 'recruiter')} in line. ${counted(releases, 'release')}, and ` +
        `${counted(size.sessions - releases, 'newcomer')}, at the same moment. Some servers are killed.`
      );
    },
    held: 'served the line in its order',
    sum: ({ overtaken = 0, idle = 0 }) => sumInWords({ overtaken, 'slots left idle': idle }),
  },
};

const isRelease = (number: number, { capacity, sessions }: RaceSize): boolean =>
  roleOf(crowdOf(capacity, sessions), number).kind === 'release';
