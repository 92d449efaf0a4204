import type { Problem } from '../../../client/index.ts';

/** The result of a request in words, and whether the request succeeded. */
export interface Note {
  isGood: boolean;
  text: string;
}

export const good = (text: string): Note => ({ isGood: true, text });
export const bad = (text: string): Note => ({ isGood: false, text });

/** The words that the page shows while it repeats a request. */
export const ASKING_AGAIN = 'The service is busy or silent. Asking again…';

/** Puts a refusal into words that fit every request. */
export function refusalInWords({ code, title, detail }: Problem): Note {
  switch (code) {
    case 'too-many-requests':
      return bad('You have sent too many requests. Wait a moment, then try again.');
    case 'shutting-down':
      return bad('The service is about to restart. Nothing was changed. Try again in a moment.');
    case 'busy':
      return bad('The database is busy. Nothing was changed. Try again.');
    case 'offline':
      return bad(detail);
    case 'key-in-use':
    case 'no-answer':
    case 'outcome-unknown':
      return unknownOutcome;
    default:
      return bad(`${title}. ${detail}`);
  }
}

/**
 * The note if nobody knows whether the service has done the request. The page then reads the
 * current state.
 */
export const unknownOutcome = bad(
  'No answer came, so the outcome is unknown. Look at what the page shows before you try again.',
);
