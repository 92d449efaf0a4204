import { createHash } from 'node:crypto';

/** Makes random choices. */
export class Dice {
  readonly #random: () => number;

  /** `random` returns a number from 0 up to, but not including, 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  any<T>(some: readonly T[]): T | undefined {
    return some[this.below(some.length)];
  }

  /** Returns a whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

export const anyDice = () => new Dice(Math.random);

/** Returns dice. Dice with the same seed always make the same choices. */
export function seededDice(seed: string): Dice {
  let drawn = 0;
  return new Dice(() => {
    const digest = createHash('sha256').update(`${seed} ${drawn++}`).digest();
    return digest.readUInt32BE() / 2 ** 32;
  });
}
