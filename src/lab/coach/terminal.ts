import { stripVTControlCharacters } from 'node:util';

/** The size of the screen, in characters. */
export interface Size {
  rows: number;
  columns: number;
}

const CLEAR_BELOW = '\x1b[J';
/**
 * The codes that clear the screen. A person can still scroll to the older lines above the screen.
 */
const CLEAR = '\x1b[2J\x1b[H';

/**
 * Returns the text with which a terminal replaces `before` by `after`. Only the lines from the
 * first changed line on are written again, so the screen does not flicker. If the first changed
 * line has left the screen, everything is written again.
 */
export function redraw(before: string, after: string, { rows, columns }: Size): string {
  const [old, young] = [before.split('\n'), after.split('\n')];
  const changed = young.findIndex((line, index) => line !== old[index]);
  const same = changed < 0 ? Math.min(young.length, old.length) : changed;
  const rowsOf = (line: string) =>
    Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns));
  // The cursor is in the last line, which is empty.
  const up = old.slice(same, -1).reduce((sum, line) => sum + rowsOf(line), 0);
  if (before === '' || up >= rows) return `${CLEAR}${after}`;
  const back = up > 0 ? `\x1b[${up}A` : '';
  return `${back}\r${CLEAR_BELOW}${young.slice(same).join('\n')}`;
}
