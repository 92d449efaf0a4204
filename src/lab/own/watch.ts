import { readFileSync, statSync } from 'node:fs';

/**
 * The time between two checks of the file. Checks find every kind of save, also in folders for
 * which the operating system reports no changes.
 */
const LOOK_MS = 50;
/** A file without a change for this time is complete. Editors save in several steps. */
const REST_MS = 100;
/**
 * The time in which a removed file may come back. Some editors remove a file and write a new file.
 */
const GONE_MS = 1_000;

/**
 * Calls `onChange` after each change of the text, as soon as the file is complete. Returns a
 * function that ends the checks.
 */
export function watchText(file: string, onChange: () => void): () => void {
  let version = versionOf(file);
  let before = textOf(file);
  let timer: NodeJS.Timeout | undefined;
  const look = (isPatient: boolean) => {
    const now = textOf(file);
    if (now === before) return;
    if (now === undefined && isPatient) return later(GONE_MS, false);
    before = now;
    onChange();
  };
  const later = (milliseconds: number, isPatient: boolean) => {
    clearTimeout(timer);
    timer = setTimeout(look, milliseconds, isPatient);
  };
  const looking = setInterval(() => {
    const now = versionOf(file);
    if (now === version) return;
    version = now;
    later(REST_MS, true);
  }, LOOK_MS);
  return () => {
    clearTimeout(timer);
    clearInterval(looking);
  };
}

/** Returns the text of a file, or undefined if the file cannot be read. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns a text that changes with each save. */
function versionOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${size} ${mtimeMs}`;
}
