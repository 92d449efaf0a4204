import { print } from './print.ts';

const EVERY_MS = 5_000;
let last = Date.now();

/**
 * Shows the progress of a long run on stderr. On a terminal each text replaces the previous text.
 * Otherwise a line is printed every few seconds.
 */
export function showProgress(text: string) {
  clearProgress();
  if (process.stderr.isTTY) print(text, process.stderr);
  else if (Date.now() - last > EVERY_MS) {
    last = Date.now();
    print(`${text}\n`, process.stderr);
  }
}

/** Removes the progress line, so that later output begins on an empty line. */
export function clearProgress() {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
