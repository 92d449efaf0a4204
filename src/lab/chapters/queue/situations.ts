import type { Situation } from '../../chapter.ts';
import type { QueueStrategy } from './strategy.ts';

export interface QueueSituation extends Situation {
  /** How many tasks are due. */
  tasks: number;
  /** How many workers may die in a schedule. */
  deaths?: number;
  /** The task kills each worker that does it. */
  kills?: true;
  /** All workers have one name. */
  namesakes?: true;
  /** A worker may be slow, so time may pass. Only for strategies that are `timed`. */
  timePasses?: true;
}

export const alone: QueueSituation = {
  name: 'alone',
  idea: 'one worker, which may die in each gap, and starts again with its name',
  tasks: 1,
  sessions: 1,
  deaths: 1,
  namesakes: true,
};

const calm: QueueSituation = { name: 'calm', idea: 'two workers, one task', tasks: 1 };

const crash: QueueSituation = {
  name: 'crash',
  idea: 'one of two workers may die',
  tasks: 1,
  deaths: 1,
};

const twoTasks: QueueSituation = { name: 'two-tasks', idea: 'two workers, two tasks', tasks: 2 };

const slow: QueueSituation = {
  name: 'slow',
  idea: 'one of two workers may be slow',
  tasks: 1,
  timePasses: true,
};

const crashAndSlow: QueueSituation = {
  name: 'crash-and-slow',
  idea: 'one of two workers may die, and one may be slow',
  tasks: 1,
  deaths: 1,
  timePasses: true,
};

const namesakes: QueueSituation = {
  name: 'namesakes',
  idea: 'two workers of one name, and one may be slow',
  tasks: 1,
  timePasses: true,
  namesakes: true,
};

const killer: QueueSituation = {
  name: 'killer',
  idea: 'the task kills each worker that does it',
  tasks: 1,
  kills: true,
};

export const situationsOf = ({
  timed,
  counts,
}: Pick<QueueStrategy, 'timed' | 'counts'>): readonly [QueueSituation, ...QueueSituation[]] => [
  alone,
  calm,
  crash,
  twoTasks,
  ...(timed ? [slow, crashAndSlow, namesakes] : []),
  ...(counts ? [killer] : []),
];
