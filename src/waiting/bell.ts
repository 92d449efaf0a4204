import { inTime } from './deadline.ts';

/** Wakes the one who waits for it. A ring that nobody waits for is lost. */
export class Bell {
  ring = () => {};

  /** True once the bell rings, false if it does not ring within `ms`. */
  rings(ms: number): Promise<boolean> {
    const rung = new Promise<boolean>((resolve) => {
      this.ring = () => resolve(true);
    });
    return inTime(rung, ms, () => false);
  }
}
