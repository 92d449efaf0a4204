import { NO_ANSWER } from './sqlstate.ts';

/** Makes an error with a code, like the errors of the driver and of Node.js. */
export const failure = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });

export const connectionLost = (cause?: unknown) =>
  failure('CONNECTION_CLOSED', 'the connection to the database was lost', cause);

export const noAnswer = () => failure(NO_ANSWER, 'the database did not answer in time');
