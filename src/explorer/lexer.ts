import { loadModule, scanSync } from 'libpg-query';

await loadModule();

/**
 * - `name`: a name, quoted or not. A word that PostgreSQL reserves nowhere is a name too.
 * - `keyword`: a word of SQL, such as `select`. Many keywords may also be names.
 * - `string`: a constant in quotes of any kind, also in dollar quotes.
 * - `unknown`: a whole text that the lexer does not divide.
 */
export type TokenKind =
  | 'name'
  | 'keyword'
  | 'string'
  | 'comment'
  | 'parameter'
  | 'other'
  | 'unknown';

export interface Token {
  kind: TokenKind;
  text: string;
  /** The position in the text, from 0. */
  at: number;
}

/** Only white space is between two tokens. */
type Tokens = readonly Token[];

/**
 * A longer text is not divided. The lexer takes 2 µs for a character in short texts, but 750 ms for
 * 36,000 characters.
 */
const LONGEST = 20_000;
/** The maximum number of characters whose tokens we remember. A program repeats its statements. */
const REMEMBERED = 500_000;

const remembered = new Map<string, Tokens>();
let characters = 0;

/**
 * Divides a text of SQL by PostgreSQL's own lexer. A text that PostgreSQL itself could not divide,
 * such as a string without an end, is one token of the kind `unknown`. So is a very long text.
 */
export function tokensOf(text: string): Tokens {
  const known = remembered.get(text);
  if (known) return known;
  const tokens = divide(text);
  if (characters + text.length > REMEMBERED) {
    remembered.clear();
    characters = 0;
  }
  remembered.set(text, tokens);
  characters += text.length;
  return tokens;
}

function divide(text: string): Tokens {
  if (text.trim() === '') return [];
  // For the lexer, a text ends at a zero character.
  if (text.length > LONGEST || text.includes('\0')) return [unknown(text)];
  try {
    return placed(text, scanSync(text.replace(CONTROL, ' ')).tokens);
  } catch {
    return [unknown(text)];
  }
}

/** The package cannot write these characters into its result. The lexer treats them as other text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters are the point
const CONTROL = /[\x01-\x08\x0b\x0c\x0e-\x1f]/g;

const unknown = (text: string): Token => ({ kind: 'unknown', text, at: 0 });

type Scanned = ReturnType<typeof scanSync>['tokens'];

/** The lexer counts bytes. */
function placed(text: string, scanned: Scanned): Token[] {
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  const lengthOf = (from: number, to: number) =>
    isAscii ? to - from : bytes.toString('utf8', from, to).length;
  let at = 0;
  let byte = 0;
  return scanned.map(({ start, end, ...token }) => {
    at += lengthOf(byte, start);
    const length = lengthOf(start, end);
    const found = { kind: kindOf(token), text: text.slice(at, at + length), at };
    at += length;
    byte = end;
    return found;
  });
}

function kindOf({
  tokenName,
  keywordName,
  text,
}: Omit<Scanned[number], 'start' | 'end'>): TokenKind {
  if (/^(u&|[bx])?'/i.test(text)) return 'string';
  if (/^(u&)?"/i.test(text)) return 'name';
  if (keywordName !== 'NO_KEYWORD') return 'keyword';
  return KINDS[tokenName] ?? 'other';
}

const KINDS: Record<string, TokenKind> = {
  C_COMMENT: 'comment',
  SQL_COMMENT: 'comment',
  SCONST: 'string',
  IDENT: 'name',
  PARAM: 'parameter',
};

/**
 * Returns the code of a text: comments are blank, strings are empty, and a quoted name has quotes
 * only if it is a word of SQL or no simple name. Patterns for words can then be used on the code.
 */
export function codeOf(text: string): string {
  let end = 0;
  let code = '';
  for (const token of tokensOf(text)) {
    code += text.slice(end, token.at) + codeOfToken(token);
    end = token.at + token.text.length;
  }
  return code.trim();
}

function codeOfToken({ kind, text }: Token): string {
  if (kind === 'comment') return ' ';
  if (kind === 'string') return "''";
  const [, simple] = (kind === 'name' && /^"([a-z_][a-z_0-9]*)"$/.exec(text)) || [];
  return simple !== undefined && tokensOf(simple)[0]?.kind === 'name' ? simple : text;
}

/** Returns the code of a text and, for a DO block, also the code in the block. */
export function wholeCodeOf(text: string): string {
  const code = codeOf(text);
  return isDoBlock(code) ? [code, ...bodiesIn(text).map(codeOf)].join('; ') : code;
}

export const isDoBlock = (code: string): boolean => /^do\b/i.test(code);

/** Returns the texts in the strings of a statement. The body of a DO block is a string. */
export const bodiesIn = (text: string): string[] =>
  tokensOf(text)
    .filter(({ kind }) => kind === 'string')
    .map(({ text }) => text.replace(/^e?'|'$/gi, '').replace(/^\$\w*\$|\$\w*\$$/g, ''));
