import { Divergence } from '../../explorer/forks.ts';
import { Hang } from '../../explorer/stillness.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { inFolder, lineAbout } from './place.ts';

/** Returns in one line why a student's file cannot be played. */
export function explain(error: unknown, file: string): string {
  if (error instanceof Divergence) return `${inFolder(file)}: ${error.message}${adviceOn(error)}`;
  if (error instanceof PlainError) return error.message;
  if (error instanceof Hang) return `${inFolder(file)}: it hangs, since ${error.message}.`;
  return lineAbout(error, file);
}

const adviceOn = ({ message }: Divergence): string =>
  / ran differently /.test(message)
    ? ' Use no clock and no random values, and keep nothing in memory outside restart(): see docs/explorer.md.'
    : '';
