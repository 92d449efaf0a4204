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

  /**
   * Asks again and again. Resolves when the bell rings or an answer is true. Each question has a
   * promise of its own: a promise that waits for weeks would keep something of each question.
   */
  async ringsOr(ask: () => Promise<boolean>) {
    let isRung = false;
    let endWait = () => {};
    this.ring = () => {
      isRung = true;
      endWait();
    };
    while (!isRung) {
      const answer = new Promise<boolean>((resolve, reject) => {
        endWait = () => resolve(true);
        ask().then(resolve, reject);
      });
      if (await answer) return;
    }
  }
}
