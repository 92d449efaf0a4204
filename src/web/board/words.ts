import type { InferResponseType } from 'hono/client';
import type { api } from '../parts/api.ts';

type ClaimAnswer = InferResponseType<(typeof api.jobs)[':jobId']['claims']['$post'], 409>;
/** What the service says when it refuses, whatever it was asked for. */
export type Problem = Extract<ClaimAnswer, { code: string }>;

/** What came of an attempt: a person's words, and whether it is what they wanted. */
export interface Note {
  isGood: boolean;
  text: string;
}

export const good = (text: string): Note => ({ isGood: true, text });
const bad = (text: string): Note => ({ isGood: false, text });

/** Whoever claims has to be somebody. */
export const nobodyYet = bad('Choose who you are first.');

/** Nobody answered, however often the service was asked. */
export const noAnswer = bad(
  'The service does not answer, so nobody can tell what came of it. Try again: nothing is done twice.',
);

/** In the past tense: by the time it is read, a slot may be free again. */
export function inWords({ code, title, detail, capacity }: Problem): Note {
  switch (code) {
    case 'job-full':
      return bad(`Too late: all ${capacity} slots were claimed when you asked.`);
    case 'already-claimed':
      return bad('You hold this job already. Nothing was changed.');
    case 'claim-not-found':
      return bad('You held it no more: its lease had ended, or it was released elsewhere.');
    case 'no-lease':
      return bad('This claim stays until you release it: there is nothing to renew.');
    case 'busy':
    case 'key-in-use':
      return bad('Too many asked for this job at once. Nothing was changed: try again.');
    case 'outcome-unknown':
      return bad(
        'The database did not say in time what came of it. Try again: you cannot claim twice.',
      );
    case 'too-many-requests':
      return bad('You have asked too often. Wait a moment, then try again.');
    case 'shutting-down':
      return bad('The service is about to restart. Nothing was changed: try again in a moment.');
    case 'job-not-found':
      return bad('This job has been withdrawn.');
    case 'recruiter-not-found':
      return bad('The service does not know this recruiter: choose who you are.');
    case 'forbidden':
      return bad('Your token does not let you claim for this recruiter.');
    default:
      return bad(`${title}. ${detail}`);
  }
}
