import { compareSchedules } from '../../explorer/choice.ts';
import type { Played } from '../../explorer/explore.ts';

/** One order of the steps. `fault` is its gravest fault, or an empty text if the order holds. */
export interface Order {
  /** The choices of the scheduler, such as `1,2,1,2`. */
  schedule: string;
  fault: string;
}

/** Returns the order of a played schedule. `faults` begins with the gravest fault. */
export const orderOf = (faults: readonly { name: string }[], played: Played): Order => ({
  schedule: played.schedule.join(),
  fault: faults.find(({ name }) => played.faults.includes(name))?.name ?? '',
});

/** Sorts orders by their schedules, so orders with the same beginning are neighbours. */
export const sorted = (orders: readonly Order[]): Order[] =>
  orders.toSorted((one, other) =>
    compareSchedules(one.schedule.split(','), other.schedule.split(',')),
  );
