/** What a race or a schedule left in the table for one job. */
export interface Standing {
  capacity: number;
  /** Claims counted in the table, not those that were answered. */
  claims: number;
}

/** More claims than slots: the promise that the whole project is about is broken. */
export const isOversold = ({ capacity, claims }: Standing): boolean => claims > capacity;
