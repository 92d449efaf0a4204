import { inTime } from './deadline.ts';

/** Wakes one waiter. If nobody waits, the ring has no effect. */
export class Bell {
  ring = () => {};

  /** Resolves to true when the bell rings, or to false if the bell does not ring within `ms`. */
  rings(ms: number): Promise<boolean> {
    const rung = new Promise<boolean>((resolve) => {
      this.ring = () => resolve(true);
    });
    return inTime(rung, ms, () => false);
  }

  /** Asks again and again. Resolves when the bell rings or an answer is true. */
  async ringsOr(ask: () => Promise<boolean>) {
    const rung = this.rings(Number.POSITIVE_INFINITY);
    while (!(await Promise.race([rung, ask()])));
  }
}
