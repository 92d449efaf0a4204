import type { ProgramAnswer } from '../../explorer/programs/copy.ts';
import { oneLine } from '../../explorer/programs/one-line.ts';
import { UsageError } from '../../platform/process/errors.ts';
import type { AnswerRule } from '../chapter.ts';
import { quoted } from '../chapters/index.ts';

/** The form of a rule, such as `full=409` or `duplicate=409:already`. */
const RULE = /^([a-z-]+)=(\d{3})(?::(.+))?$/;

/**
 * Reads rules such as `claimed=200,full=409,duplicate=409:already`. A person's rules with a word
 * come first, then the person's rules without a word, and then the usual rules.
 */
export function readAnswers(text: string | undefined, usual: readonly AnswerRule[]): AnswerRule[] {
  const given = (text?.split(',') ?? []).map((each) => readRule(each.trim(), usual));
  return [...given.filter(({ word }) => word), ...given.filter(({ word }) => !word), ...usual];
}

function readRule(text: string, usual: readonly AnswerRule[]): AnswerRule {
  const [, kind = '', status, word] = RULE.exec(text) ?? [];
  const kinds = [...new Set(usual.map((rule) => rule.kind))];
  if (status === undefined)
    throw new UsageError(
      `--answers is a list such as claimed=200,full=409:full, not ${quoted(text)}.`,
    );
  if (!kinds.includes(kind))
    throw new UsageError(`--answers knows ${kinds.join(', ')}, and not ${quoted(kind)}.`);
  return { kind, status: Number(status), ...(word !== undefined && { word }) };
}

/** Returns the kind of an answer, or undefined if no rule fits. */
export const kindOf = (
  { status, body }: ProgramAnswer,
  rules: readonly AnswerRule[],
): string | undefined =>
  rules.find((rule) => rule.status === status && body.includes(rule.word ?? ''))?.kind;

const LONGEST_BODY = 160;

/** Returns an answer for a message of one line: `500 relation "claims" does not exist`. */
export function quoteAnswer({ status, body }: ProgramAnswer): string {
  return `${status} ${oneLine(body, LONGEST_BODY)}`.trim();
}
