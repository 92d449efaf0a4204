import type { Situation } from '../../chapter.ts';
import type { QueueStrategy } from './strategy.ts';

export interface QueueSituation extends Situation {
  /** How many tasks are due. */
  tasks: number;
  /** How many workers may die in a schedule. */
  deaths?: number;
  /** The task kills each worker that does it. */
  kills?: true;
  /** All workers have the same name. */
  namesakes?: true;
  /**
   * The first worker works alone, and only this worker may die. Then time passes, and the other
   * workers start.
   */
  hasPrologue?: true;
  /** A worker may be slow, so time may pass. This applies only to strategies that are `timed`. */
  timePasses?: true;
  /** Each worker takes tasks until there is nothing to do. By default a worker takes one task. */
  untilIdle?: true;
}

/**
 * The maximum number of schedules of most situations. 500 schedules take about five seconds. Two
 * workers may have thousands of schedules if one of them dies.
 */
const MOST = 500;

export const alone: QueueSituation = {
  name: 'alone',
  idea: 'one worker, which may die in each gap, and starts again with its name',
  tasks: 1,
  sessions: 1,
  deaths: 1,
  namesakes: true,
};

const calm: QueueSituation = { name: 'calm', idea: 'two workers, one task', tasks: 1, most: MOST };

const crash: QueueSituation = {
  name: 'crash',
  idea: 'one of two workers may die',
  tasks: 1,
  deaths: 1,
  most: MOST,
};

const twoTasks: QueueSituation = {
  name: 'two-tasks',
  idea: 'two workers, two tasks',
  tasks: 2,
  suspect: 'idle',
  most: MOST,
};

const slow: QueueSituation = {
  name: 'slow',
  idea: 'one of two workers may be slow',
  tasks: 1,
  timePasses: true,
  most: MOST,
};

const crashAndSlow: QueueSituation = {
  name: 'crash-and-slow',
  idea: 'one of two workers may die, and one may be slow',
  tasks: 1,
  deaths: 1,
  timePasses: true,
  most: MOST,
};

const namesakes: QueueSituation = {
  name: 'namesakes',
  idea: 'two workers of one name, and one may be slow',
  tasks: 1,
  timePasses: true,
  namesakes: true,
  most: MOST,
};

const takenOver: QueueSituation = {
  name: 'taken-over',
  idea: 'one worker may die, and two days later two others come at once',
  tasks: 1,
  sessions: 3,
  deaths: 1,
  timePasses: true,
  hasPrologue: true,
  most: 200,
};

const killer: QueueSituation = {
  name: 'killer',
  idea: 'the task kills each worker that does it',
  tasks: 1,
  kills: true,
  suspect: 'miscounted',
  most: MOST,
};

export const situationsOf = ({
  timed,
  counts,
}: Pick<QueueStrategy, 'timed' | 'counts'>): readonly [QueueSituation, ...QueueSituation[]] => [
  alone,
  calm,
  crash,
  twoTasks,
  ...(timed ? [slow, crashAndSlow, namesakes, takenOver] : []),
  ...(counts ? [killer] : []),
];
