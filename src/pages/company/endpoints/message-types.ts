import type { MessageType } from './api.ts';

/** The types of messages, and the meaning of each type. */
export const messageTypes = {
  'claim.created': 'A recruiter claims a job',
  'claim.released': 'A recruiter releases a claim',
  'claim.expired': 'A claim expires',
  'slot.offered': 'The first in line gets an offer',
  'offer.accepted': 'A recruiter accepts an offer',
  'offer.declined': 'A recruiter declines an offer',
  'offer.lapsed': 'An offer lapses',
  'waitlist.joined': 'A recruiter joins the line',
  'waitlist.left': 'A recruiter leaves the line',
  'job.full': 'A job is full',
  'job.open': 'A full job has a free slot again',
} as const satisfies Record<MessageType, string>;

export const allTypes = Object.keys(messageTypes) as MessageType[];
