import { print } from '../src/process/print.ts';

const EVERY_MS = 5_000;
let last = Date.now();

/** Says how far a long run is, on stderr: in place on a terminal, else a line every few seconds. */
export function showProgress(text: string) {
  clearProgress();
  if (process.stderr.isTTY) print(text, process.stderr);
  else if (Date.now() - last > EVERY_MS) {
    last = Date.now();
    print(`${text}\n`, process.stderr);
  }
}

/** Wipes the progress line, so that what comes next stands alone. */
export function clearProgress() {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
