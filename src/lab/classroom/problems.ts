import type { Problem } from '../../service/http/problem.ts';
import { forbidden, tooManyRequests, unauthorized } from '../../service/http/problems.ts';

export const notHere = {
  status: 404,
  code: 'not-found',
  title: 'Not found',
  detail: 'There is nothing at this address of the room.',
} as const satisfies Problem;

export const joinFirst = {
  ...unauthorized,
  title: 'Not in the room',
  detail: 'Join the room first, with its code.',
} as const satisfies Problem;

export const wrongCode = {
  ...forbidden,
  title: 'Wrong code',
  detail: 'This is not the code of the room. Look at the screen again.',
} as const satisfies Problem;

export const tooManyGuesses = {
  ...tooManyRequests,
  detail: 'Too many wrong codes came from your address. Wait for a minute.',
} as const satisfies Problem;

export const roomFull = {
  status: 503,
  code: 'busy',
  title: 'The room is full',
  detail: 'The room has as many students as it allows. Ask the teacher to remove somebody.',
} as const satisfies Problem;

export const tooManyAtOnce = {
  ...tooManyRequests,
  detail: 'Your browser asks for too much at once. Close some of its pages.',
} as const satisfies Problem;

export const teacherOnly = {
  ...forbidden,
  title: 'The teacher only',
  detail: 'The terminal of the room has printed the address of the teacher, with a secret.',
} as const satisfies Problem;
