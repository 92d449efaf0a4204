import { createHash } from 'node:crypto';

/** Draws by chance. */
export class Dice {
  readonly #random: () => number;

  /** `random` gives numbers from 0 up to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  any<T>(some: readonly T[]): T | undefined {
    return some[this.below(some.length)];
  }

  /** A whole number from 0 up to `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

export const anyDice = () => new Dice(Math.random);

/** The same seed always gives the same draws. */
export function seededDice(seed: string): Dice {
  let drawn = 0;
  return new Dice(() => {
    const digest = createHash('sha256').update(`${seed} ${drawn++}`).digest();
    return digest.readUInt32BE() / 2 ** 32;
  });
}
