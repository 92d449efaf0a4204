import { ofCode } from './code-damage.ts';
import { ofSql } from './sql-damage.ts';
import { type Damage, type Edit, parse } from './syntax.ts';

/** A copy of a file with one damage. */
export interface Mutant {
  /** The damage in words, such as `drops a statement: await lock(tx);`. Unique within its file. */
  name: string;
  /** The line of the damage, from 1. */
  line: number;
  text: string;
}

export const damages: readonly Damage[] = [...ofCode, ...ofSql];

/** Returns all mutants of these declarations, and of the declarations of the text that they use. */
export function mutantsOf(text: string, declarations: readonly string[]): Mutant[] {
  const code = parse(text, declarations);
  const texts = new Set([text]);
  const names = new Map<string, number>();
  return damages.flatMap(({ name, editsOf }) =>
    editsOf(code).flatMap((edit) => {
      const mutant = apply(text, edit);
      if (texts.has(mutant)) return [];
      texts.add(mutant);
      const words = `${name}: ${saidOf(text, edit)}`;
      const nth = (names.get(words) ?? 0) + 1;
      names.set(words, nth);
      const line = text.slice(0, edit.start).split('\n').length;
      return { name: nth === 1 ? words : `${words} (${nth})`, line, text: mutant };
    }),
  );
}

const apply = (text: string, { start, end, text: put }: Edit): string =>
  `${text.slice(0, start)}${put}${text.slice(end)}`;

/** Says what the edit changes, such as `'update' → 'share'`. */
function saidOf(text: string, { start, end, text: put }: Edit): string {
  const before = inLine(text.slice(start, end));
  const after = inLine(put);
  if (before === '') return after;
  return after === '' ? before : `${before} → ${after}`;
}

const LONGEST = 70;

function inLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replace(/^, /, '').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}
