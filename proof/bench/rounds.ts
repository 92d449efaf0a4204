/** The figures of one measurement, by name. */
export type Figures = Record<string, number>;
/** Prepares and makes one measurement, checks the result, and returns the figures. */
export type Measurement = () => Promise<Figures>;

/** The figures of all rounds, by the name of the measurement. */
export type FiguresByName<Name extends string> = Record<Name, Figures[]>;

/**
 * Makes each measurement once in each round, so that changes on the machine affect all measurements
 * alike. An additional first round warms up the machine and does not count.
 */
export async function interleave<Name extends string>(
  rounds: number,
  measurements: Record<Name, Measurement>,
  onMeasurement: (name: Name, round: number) => void,
): Promise<FiguresByName<Name>> {
  const names = Object.keys(measurements) as Name[];
  const figuresByName = Object.fromEntries(
    names.map((name) => [name, [] as Figures[]]),
  ) as FiguresByName<Name>;
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      onMeasurement(name, round);
      const figures = await measurements[name]();
      if (round > 0) figuresByName[name].push(figures);
    }
  return figuresByName;
}

/** Returns the median of a figure over the rounds. */
export function median(rounds: Figures[], figure: string): number {
  const sorted = rounds.map((figures) => figures[figure] ?? Number.NaN).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
