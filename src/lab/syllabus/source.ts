import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, type TokenType } from 'sugar-high/core';
import * as typescript from 'sugar-high/lang/typescript';
import { inProject } from '../../process/project.ts';
import { findDecisive } from './decisive.ts';

/** A piece of a line, to be shown in the colour of its kind. */
export interface Token {
  kind: 'keyword' | 'string' | 'comment' | 'type' | 'plain';
  text: string;
}

export interface SourceLine {
  number: number;
  /** Part of the statement that makes the strategy hold or fail. */
  isDecisive: boolean;
  tokens: Token[];
}

/** A file of the project as a reader wants it: without its imports. */
export interface Source {
  /** From the project's folder, such as `src/lab/chapters/claims/strategies/naive.ts`. */
  path: string;
  lines: SourceLine[];
}

/** Where a strategy stands: two share a file where they are two uses of the same code. */
export const fileOf = (strategy: string): string =>
  `src/lab/chapters/claims/strategies/${{ 'mutex-two-servers': 'mutex', 'fenced-lease': 'lease' }[strategy] ?? strategy}.ts`;

/**
 * The strategy's file; and where its decisive statement is not in there, the files of `src/claims`
 * that lead from one to the next to the one that has it.
 */
export function sourcesOf(strategy: string): Source[] {
  const ways = [[fileOf(strategy)]];
  for (const way of ways) {
    const file = way.at(-1) ?? '';
    const text = read(file);
    if (findDecisive(text, strategy)) return way.map((each) => sourceOf(each, strategy));
    ways.push(...claimsImportedBy(file, text).map((next) => [...way, next]));
  }
  throw new Error(`${strategy} has no decisive statement`);
}

/** Reads the copy that the build made: a deployment has no `src`. */
const read = (file: string) => readFileSync(inProject(path.join('dist/sources', file)), 'utf8');

function claimsImportedBy(file: string, text: string): string[] {
  return [...text.matchAll(/ from '(\..+)';$/gm)]
    .map(([, specifier = '']) => path.posix.join(path.posix.dirname(file), specifier))
    .filter((imported) => imported.startsWith('src/claims/'));
}

function sourceOf(file: string, strategy: string): Source {
  const text = read(file);
  const decisive = findDecisive(text, strategy)?.lines ?? [];
  const { lines } = parse(text, typescript);
  const imports = lines.findLastIndex(({ value }) => / from '.+';$/.test(value));
  const isCode = ({ value }: { value: string }) => value !== '';
  const begin = lines.findIndex((line, index) => index > imports && isCode(line));
  const shown = lines.slice(begin, lines.findLastIndex(isCode) + 1).map(({ tokens }, index) => {
    const number = begin + index + 1;
    return { number, isDecisive: decisive.includes(number), tokens: tokens.map(tokenOf) };
  });
  return { path: file, lines: shown };
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
