/** A limit for the ratio of a measure, or for the value of a measure without a ratio. */
export interface Bar {
  at: 'least' | 'most';
  limit: number;
}

/** A measured value, usually a median. It may be compared with another value of the same run. */
export interface Measure {
  what: string;
  unit: 'claims/s' | 'refusals/s' | 'answers/s' | 'tasks/s' | 'tasks' | 'ms' | 'MB';
  of: string;
  value: number;
  against?: { name: string; value: number; ratio: number };
  bar?: Bar & { reached: boolean };
}

type Side = { name: string; value: number };

/** Compares two values, and judges their ratio by the bar. */
export function compare(
  what: string,
  unit: Measure['unit'],
  of: Side,
  against: Side,
  bar?: Bar,
): Measure {
  const ratio = of.value / against.value;
  return {
    what,
    unit,
    of: of.name,
    value: of.value,
    against: { ...against, ratio },
    ...judged(ratio, bar),
  };
}

/** Judges a single value by the bar. */
export const alone = (what: string, unit: Measure['unit'], of: Side, bar?: Bar): Measure => ({
  what,
  unit,
  of: of.name,
  value: of.value,
  ...judged(of.value, bar),
});

const judged = (value: number, bar: Bar | undefined) =>
  bar && { bar: { ...bar, reached: bar.at === 'least' ? value >= bar.limit : value <= bar.limit } };
