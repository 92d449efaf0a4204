import type { CallOptions } from '../../../client/index.ts';

/** A recruiter or a company, by name. */
export interface Named {
  id: number | string;
  name: string;
}

/** How the pages find the recruiters or the companies. */
export interface Directory {
  /** The role of a token that names a recruiter or a company. */
  role: 'recruiter' | 'company';
  /** The word for many, such as `Recruiters`. */
  plural: string;
  /** Finds the first names that match these words. Throws a `Refused`. */
  find(q: string, options: CallOptions): Promise<Named[]>;
  /**
   * Reads the name with this id. Throws a `Refused`, for example if the id does not exist.
   */
  read(id: string, options: CallOptions): Promise<Named>;
}

/** How many matches the pages show. */
export const MOST_FOUND = 8;
