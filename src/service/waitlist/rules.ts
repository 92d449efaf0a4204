/**
 * The maximum number of lines in which a recruiter waits or has an offer. Each place of a recruiter
 * delays the recruiters behind it.
 */
export const MOST_LINES = 100;

/** What a company wants for the line of a job. */
export interface LineSettings {
  /** How many recruiters may wait. 0 closes the waitlist, and those who wait stay. */
  longest: number;
  /** How long an offer lasts. */
  offerMinutes: number;
  /** If true, the first in line gets a claim without being asked. */
  auto: boolean;
}

/** The facts about a recruiter who asks to join. They are read under the lock of the job. */
export interface Asking {
  /** Whether the recruiter holds a slot of the job. */
  holds: boolean;
  /** How many recruiters wait for the job. */
  waiting: number;
  /** The number of lines in which the recruiter waits or has an offer. */
  lines: number;
}

export type JoinDecision =
  | 'admitted'
  | 'already-claimed'
  | 'waitlist-closed'
  | 'waitlist-full'
  | 'too-many-lines';

/** Decides whether a recruiter may join a line. The recruiter is not in this line yet. */
export function admit({ longest }: LineSettings, { holds, waiting, lines }: Asking): JoinDecision {
  if (holds) return 'already-claimed';
  if (longest === 0) return 'waitlist-closed';
  if (waiting >= longest) return 'waitlist-full';
  if (lines >= MOST_LINES) return 'too-many-lines';
  return 'admitted';
}
