/** What a race or a schedule left in the table for one job. */
export interface Standing {
  capacity: number;
  /** Claims counted in the table, not those that were answered. */
  claims: number;
}

/** More claims than slots: the promise that the whole project is about is broken. */
export const isOversold = ({ capacity, claims }: Standing): boolean => claims > capacity;

/** Somebody was turned away though a slot is free. */
export const isUnsold = ({ capacity, claims, refused }: Standing & { refused: number }): boolean =>
  claims < capacity && refused > 0;

export function brokenInvariants(standing: Standing & { refused: number }): string[] {
  const broken = [];
  if (isOversold(standing)) broken.push('oversold');
  if (isUnsold(standing)) broken.push('unsold');
  return broken;
}
