/** Returns a percentile: this part of the values is at most as large as the result. */
export const percentile = (values: number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * part) - 1] ?? Number.NaN;
