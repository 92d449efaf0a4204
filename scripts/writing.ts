import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../src/platform/process/errors.ts';

/**
 * Throws a `UsageError` if the folder of a file cannot be written. A command checks this before its
 * long work. `what` is the name of the content, such as `the trace`.
 */
export const expectWritable = (what: string, file: string) =>
  tryWriting(what, () => {
    accessSync(path.dirname(file), constants.W_OK);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`${file} is a folder`);
  });

/** Makes a folder if it is missing. Throws a `UsageError` if nobody can write into it. */
export const expectFolder = (what: string, folder: string) =>
  tryWriting(what, () => {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  });

/** Writes a file. Throws a `UsageError` if the file cannot be written. */
export const writeOrExplain = (what: string, file: string, text: string) =>
  tryWriting(what, () => writeFileSync(file, text));

function tryWriting(what: string, write: () => void) {
  try {
    write();
  } catch (error) {
    throw new UsageError(`Cannot write ${what}: ${(error as Error).message.split('\n')[0]}`);
  }
}
