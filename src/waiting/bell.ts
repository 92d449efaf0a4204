import { inTime } from './deadline.ts';

/** Wakes the waiter. A ring is lost if nobody waits. */
export class Bell {
  ring = () => {};

  /** True when the bell rings. False if the bell does not ring within `ms`. */
  rings(ms: number): Promise<boolean> {
    const rung = new Promise<boolean>((resolve) => {
      this.ring = () => resolve(true);
    });
    return inTime(rung, ms, () => false);
  }
}
