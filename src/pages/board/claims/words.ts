import type { Problem } from '../../../client/index.ts';
import { bad, type Note, refusalInWords } from '../../parts/acts/notes.ts';

/** The note that the page shows if a person presses Claim before choosing a recruiter. */
export const nobodyYet = bad('Choose who you are first.');

/**
 * Puts a problem into words. The texts are in the past tense, because a slot may be free again when
 * a person reads the text.
 */
export function inWords(problem: Problem): Note {
  const { code, capacity } = problem;
  switch (code) {
    case 'job-full':
      return bad(`Too late: all ${capacity} slots were claimed when you asked.`);
    case 'already-claimed':
      return bad('You hold this job already. Nothing was changed.');
    case 'claim-not-found':
      return bad('You no longer held this job: your claim had expired or was released elsewhere.');
    case 'no-lease':
      return bad(
        'This claim has no lease, so there is nothing to renew. It stays until you release it.',
      );
    case 'busy':
      return bad('The job or the database is busy. Nothing was changed. Try again.');
    case 'no-answer':
      return bad(
        'The service does not answer, so the outcome is unknown. Try again: you cannot claim twice.',
      );
    case 'key-in-use':
      return bad(
        'Your first request is still running, so the outcome is unknown. Try again: nothing is done twice.',
      );
    case 'outcome-unknown':
      return bad(
        'The database gave no answer, so the outcome is unknown. Try again: you cannot claim twice.',
      );
    case 'job-not-found':
      return bad('This job no longer exists.');
    case 'recruiter-not-found':
      return bad('The service does not know this recruiter. Choose who you are.');
    case 'forbidden':
      return bad('Your token does not allow you to act for this recruiter.');
    default:
      return refusalInWords(problem);
  }
}
