import path from 'node:path';
import { parse, type TokenType } from 'sugar-high/core';
import * as typescript from 'sugar-high/lang/typescript';
import { listBuilt, readBuilt } from '../../platform/process/project.ts';
import type { Addressed } from '../chapters/index.ts';
import { findDecisive } from './decisive.ts';

/** A piece of a line, shown in the colour of its kind. */
export interface Token {
  kind: 'keyword' | 'string' | 'comment' | 'type' | 'plain';
  text: string;
}

export interface SourceLine {
  number: number;
  /** Whether the line belongs to the statement that makes the strategy hold or fail. */
  isDecisive: boolean;
  tokens: Token[];
}

/** A file of the project without its imports. */
export interface Source {
  /** The path from the project's folder, such as `src/lab/chapters/claims/strategies/naive.ts`. */
  path: string;
  lines: SourceLine[];
}

/** The texts of source files, by path from the project's folder. */
export type Texts = ReadonlyMap<string, string>;

/** Reads the copies of source files that the build made, because a deployment has no `src`. */
export const readTexts = (): Texts =>
  new Map(
    listBuilt('sources')
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [
        name.split(path.sep).join('/'),
        readBuilt(path.join('sources', name)).toString(),
      ]),
  );

/** Returns the path of a strategy's file. */
export const fileOf = ({ chapter, strategy: { name, file = name } }: Addressed): string =>
  `src/lab/chapters/${chapter.name}/strategies/${file}.ts`;

/**
 * Returns the strategy's file. If the decisive statement is in production's code, also returns the
 * files on the path of imports to this statement.
 */
export function sourcesOf(addressed: Addressed, texts: Texts): Source[] {
  const { name } = addressed.strategy;
  const { production } = addressed.chapter;
  const ways = [[fileOf(addressed)]];
  for (const way of ways) {
    const file = way.at(-1) ?? '';
    const text = textOf(file, texts);
    if (findDecisive(text, name)) return way.map((each) => sourceOf(each, name, texts));
    const next = importedBy(file, text).filter((each) => each.startsWith(`${production}/`));
    ways.push(...next.map((each) => [...way, each]));
  }
  throw new Error(`${name} has no decisive statement`);
}

function textOf(file: string, texts: Texts): string {
  const text = texts.get(file);
  if (text === undefined) throw new Error(`The build has no copy of ${file}`);
  return text;
}

/** Returns the files that a file imports. Ignores imports of types, since they run no code. */
const importedBy = (file: string, text: string): string[] =>
  [...text.matchAll(/^(?:im|ex)port (?!type )[^;]* from '(\..+)';$/gm)].map(([, specifier = '']) =>
    path.posix.join(path.posix.dirname(file), specifier),
  );

function sourceOf(file: string, strategy: string, texts: Texts): Source {
  const text = textOf(file, texts);
  return sourceOfText(file, text, findDecisive(text, strategy)?.lines);
}

/** Returns a file without its imports. `decisive` has the numbers of the decisive lines. */
export function sourceOfText(path: string, text: string, decisive: number[] = []): Source {
  const { lines } = parse(text, typescript);
  const imports = lines.findLastIndex(({ value }) => / from '.+';$/.test(value));
  const isCode = ({ value }: { value: string }) => value !== '';
  const begin = lines.findIndex((line, index) => index > imports && isCode(line));
  const shown = lines.slice(begin, lines.findLastIndex(isCode) + 1).map(({ tokens }, index) => {
    const number = begin + index + 1;
    return { number, isDecisive: decisive.includes(number), tokens: tokens.map(tokenOf) };
  });
  return { path, lines: shown };
}

const KINDS: Partial<Record<TokenType, Token['kind']>> = {
  keyword: 'keyword',
  string: 'string',
  comment: 'comment',
  class: 'type',
};

const tokenOf = ({ type, value }: { type: TokenType; value: string }): Token => ({
  kind: KINDS[type] ?? 'plain',
  text: value,
});
