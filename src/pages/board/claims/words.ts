import type { Problem } from '../../../client/index.ts';
import { bad, type Note, refusalInWords } from '../../parts/acts/notes.ts';

/** The note that the page shows if a person presses Claim before choosing a recruiter. */
export const nobodyYet = bad('Choose who you are first.');

/** The words for a delayed request, and for the thing that Undo keeps. */
export const delayedActs = {
  leave: { words: 'Leaving the line', keeps: 'your place' },
  decline: { words: 'Declining the offer', keeps: 'the offer' },
} as const;
export const nothingSent = bad(
  'Something has changed since you pressed the button, so nothing was sent.',
);
export const wasAsleep = bad(
  'The page was asleep when it should have sent this. Nothing was sent.',
);

export type DelayedAct = keyof typeof delayedActs;

/** Returns the place in a line in words. */
export const placeInWords = (place: number): string =>
  place === 1 ? 'next in line' : `${ordinal(place)} in line`;

const ENDINGS = new Map([
  ['one', 'st'],
  ['two', 'nd'],
  ['few', 'rd'],
  ['other', 'th'],
]);
const rules = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = (number: number): string => `${number}${ENDINGS.get(rules.select(number))}`;

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
    case 'waitlist-closed':
      return bad('The company has closed the line of this job.');
    case 'waitlist-full':
      return bad('The line of this job is full. Try again later.');
    case 'too-many-lines':
      return bad('You wait for too many jobs already. Leave another line first.');
    case 'not-in-line':
      return bad('You were not in this line any more.');
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
