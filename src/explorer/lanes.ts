import type { Forks, Path } from './forks.ts';
import type { Stage } from './stage.ts';
import type { Trial } from './trial.ts';

/** A stage, with a trial of its own. A lane plays one schedule after the other. */
export interface Lane {
  stage: Stage;
  /** Two lanes must not share a trial, because a trial has the memory of its processes. */
  trial: Trial;
}

/** Makes a lane of each stage. */
export const lanesOf = (stages: readonly Stage[], makeTrial: () => Trial): Lane[] =>
  stages.map((stage) => ({ stage, trial: makeTrial() }));

export interface LanesOptions<Result> {
  /** Returns whether a further schedule may begin. `begun` is the number of schedules so far. */
  mayBegin(begun: number): boolean;
  play(lane: Lane, path: Path): Promise<Result>;
  /** Called with each result, in the order of the schedules. Returns whether to go on. */
  accept(result: Result): boolean;
}

/** A schedule that has begun. Its result is missing until the schedule has ended. */
interface Begun<Result> {
  path: Path;
  done: Promise<unknown>;
  ended?: { result: Result } | { error: unknown };
}

/**
 * Plays the schedules of `forks` on all lanes at the same time. The results come in the order in
 * which one lane would play the schedules, so they do not depend on the number of lanes. Throws the
 * first error in this order. Returns whether all schedules were played.
 *
 * The lanes share one thread. While PostgreSQL works for one lane, we work for another.
 */
export async function playInLanes<Result>(
  lanes: readonly Lane[],
  forks: Forks,
  { mayBegin, play, accept }: LanesOptions<Result>,
): Promise<boolean> {
  const idle = [...lanes];
  /** The schedules that were not accepted yet, in their order. */
  const begun: Begun<Result>[] = [];
  let count = 0;
  let goesOn = true;

  function begin(lane: Lane, path: Path) {
    const schedule: Begun<Result> = { path, done: Promise.resolve() };
    schedule.done = play(lane, path)
      .then(
        (result) => {
          schedule.ended = { result };
        },
        (error: unknown) => {
          schedule.ended = { error };
        },
      )
      .finally(() => idle.push(lane));
    begun.push(schedule);
    count++;
  }

  function beginAll() {
    while (goesOn && idle.length > 0 && mayBegin(count)) {
      const path = forks.take();
      if (!path) return;
      begin(idle.shift() as Lane, path);
    }
  }

  function acceptAll() {
    for (let first = begun[0]; first?.ended && goesOn; first = begun[0]) {
      if ('error' in first.ended) throw first.ended.error;
      begun.shift();
      forks.add(first.path);
      goesOn = accept(first.ended.result);
    }
  }

  try {
    for (beginAll(); goesOn && begun.length > 0; beginAll()) {
      await Promise.race(begun.filter(({ ended }) => !ended).map(({ done }) => done));
      acceptAll();
    }
  } finally {
    // A lane must not play on when its stage is used for something else.
    await Promise.all(begun.map(({ done }) => done));
  }
  return forks.isEmpty && begun.length === 0;
}
