/** A recruiter or a company, by name. */
export interface Named {
  id: number | string;
  name: string;
}

/** How the pages find the recruiters or the companies. */
export interface Directory {
  /** The role of a token that names one of them. */
  role: 'recruiter' | 'company';
  /** The word for all of them. */
  plural: string;
  /** Lists the first ones whose names match these words. Throws a `Refused`, or the error of `fetch`. */
  find(q: string, signal: AbortSignal): Promise<Named[]>;
  /**
   * Reads one of them. Throws a `Refused`, for example if there is none with this id, or the error
   * of `fetch`.
   */
  read(id: string, signal: AbortSignal): Promise<Named>;
}

/** How many matches the pages show. */
export const MOST_FOUND = 8;
