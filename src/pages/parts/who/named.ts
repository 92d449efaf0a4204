import type { CallOptions } from '../../../client/index.ts';

/** A recruiter or a company, by name. */
export interface Named {
  id: number | string;
  name: string;
}

/** Finds recruiters or companies for the pages. */
export interface Directory {
  /** The role of a token that names a recruiter or a company. */
  role: 'recruiter' | 'company';
  /** The plural of the role, such as `Recruiters`. */
  plural: string;
  /**
   * Finds the first recruiters or companies whose names match these words. Throws a `Refused` after
   * a refusal.
   */
  find(q: string, options: CallOptions): Promise<Named[]>;
  /**
   * Reads the recruiter or the company with this id. Throws a `Refused`, for example if the id does
   * not exist.
   */
  read(id: string, options: CallOptions): Promise<Named>;
}

/** The maximum number of matches that a page shows. */
export const MOST_FOUND = 8;
