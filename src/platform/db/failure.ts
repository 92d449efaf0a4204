import { NO_ANSWER } from './sqlstate.ts';

/** An error with a code, as the errors of the driver and of Node.js have one. */
export const failure = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });

export const connectionLost = (cause?: unknown) =>
  failure('CONNECTION_CLOSED', 'the connection to the database was lost', cause);

export const noAnswer = () => failure(NO_ANSWER, 'the database did not answer in time');
