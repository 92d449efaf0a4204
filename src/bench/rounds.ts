/** The figures of one measurement, by name. */
export type Figures = Record<string, number>;
/** One measurement: prepares, measures, checks, and gives the figures. */
export type Taking = () => Promise<Figures>;

/** The figures of all rounds, by the name of the measurement. */
export type Taken<Name extends string> = Record<Name, Figures[]>;

/**
 * Makes each measurement in turn, round after round, so that changes on the machine affect all
 * measurements alike. The first round warms up and does not count.
 */
export async function interleave<Name extends string>(
  rounds: number,
  takings: Record<Name, Taking>,
  onTaking: (name: Name, round: number) => void,
): Promise<Taken<Name>> {
  const names = Object.keys(takings) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Taken<Name>;
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      onTaking(name, round);
      const figures = await takings[name]();
      if (round > 0) taken[name].push(figures);
    }
  return taken;
}

/** The median of a figure over the rounds. */
export function median(rounds: Figures[], figure: string): number {
  const sorted = rounds.map((figures) => figures[figure] ?? Number.NaN).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
