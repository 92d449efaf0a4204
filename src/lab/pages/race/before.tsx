import type { Lane } from '../../race/rounds/lanes.ts';
import type { ToldChapter } from '../api.ts';
import { Axis } from './axis.tsx';
import { LaneRow } from './lane-row.tsx';
import { Legend } from './legend.tsx';

/** The time that the whole drawing shows, in milliseconds. */
const SCALE = 12;

const statement = (from: number, to: number) => ({ from, to, text: '' });

const OF_REQUESTS: Lane[] = [
  {
    session: 1,
    status: 200,
    from: 0,
    to: 6,
    statements: [statement(0.5, 2.5), statement(3, 6)],
    waits: [],
  },
  {
    session: 2,
    status: 200,
    from: 0,
    to: 8,
    statements: [statement(1, 3.5), statement(4, 8)],
    waits: [],
  },
  {
    session: 3,
    status: 403,
    from: 7,
    to: 11,
    statements: [statement(8, 11)],
    waits: [],
  },
];

const OF_CRASHES: Lane[] = [
  {
    session: 1,
    status: 200,
    from: 0,
    to: 9,
    statements: [statement(0.5, 2), { ...statement(3, 6), isEffect: true }, statement(7, 9)],
    waits: [],
  },
  {
    session: 2,
    status: 500,
    hasDied: true,
    from: 0,
    to: 5,
    statements: [statement(0.5, 2), { ...statement(3, 5), isEffect: true }],
    waits: [],
  },
];

/**
 * Shows an invented race before the first race. The invented race has no real strategy, so it gives
 * no verdict away.
 */
export const Before = ({ session, race }: Pick<ToldChapter, 'session' | 'race'>) => (
  <section class="before" aria-labelledby="before">
    <h3 id="before">How a race looks</h3>
    <p>
      This is a drawing. Each {session.one} has a lane: S1 is {session.one} 1. Time goes from left
      to right.{' '}
      {race.kind === 'crashes'
        ? 'Here S2 is killed after its effect, and before its last statement.'
        : 'Here S3 comes last, and is refused.'}
    </p>
    <div class="lane-box" aria-hidden="true">
      <ol class="race-lanes">
        {(race.kind === 'crashes' ? OF_CRASHES : OF_REQUESTS).map((lane) => (
          <LaneRow key={lane.session} lane={lane} scale={SCALE} kind={race.kind} />
        ))}
      </ol>
      <Axis scale={SCALE} />
    </div>
    <Legend race={race} hasWaits={false} />
  </section>
);
