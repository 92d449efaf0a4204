import { readFileSync, statSync } from 'node:fs';

/** A look at the file finds every kind of save, also in folders that report no changes. */
const LOOK_MS = 50;
/** A file that has rested for so long is complete. Editors save in several steps. */
const REST_MS = 100;
/** Some editors remove the file, and then write a new file. */
const GONE_MS = 1_000;

/**
 * Calls `onChange` after each change of the text, when the file has come to rest. Returns a function
 * that ends this.
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

/** The text of a file. Undefined if the file cannot be read. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Changes with each save. */
function versionOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${size} ${mtimeMs}`;
}
