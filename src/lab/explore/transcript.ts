import type { Act, Entry } from './execution.ts';
import type { Played } from './explore.ts';
import { readableError, readableRows, readableStatement } from './readable.ts';
import type { Ending } from './scenario.ts';

const COLUMN = 48;
const MARGIN = 6;

/**
 * What happened, a column for each session: every step's statement, what it gave, who waited for
 * whom, and where a statement saw data that was out of date. The same schedule gives the same text.
 */
export function transcript(played: Played): string {
  const history = new History();
  const heads = Array.from({ length: played.sessions }, (_, index) => `S${index + 1}`);
  const lines = [
    ' '.repeat(MARGIN) + heads.map((head) => head.padEnd(COLUMN)).join(''),
    ...shorten(played.entries.map((entry, index) => describeEntry(entry, index, history))).flat(),
    ...played.endings.flatMap((ending, index) => inColumn('', index + 1, describeEnding(ending))),
    '',
    `${played.summary}${played.faults.length ? `: ${played.faults.join(', ').toUpperCase()}` : ''}`,
  ];
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Only what never ends is longer than this, and its middle is all the same. */
const MOST_ENTRIES = 40;

function shorten(entries: string[][]): string[][] {
  if (entries.length <= MOST_ENTRIES) return entries;
  const left = MOST_ENTRIES / 2;
  const skipped = [`      … ${entries.length - left} more steps …`];
  return [...entries.slice(0, left / 2), skipped, ...entries.slice(-left / 2)];
}

/** What is needed to tell whether a statement saw everything that was committed. */
class History {
  readonly commits: { session: number; at: number }[] = [];
  readonly #snapshots = new Map<number, number>();
  readonly #wrote = new Set<number>();

  /** The number of the entry at which the statement's snapshot was taken. */
  snapshotOf({ session, step, sentAt }: Act): number {
    if (!step.fixedSnapshot) return sentAt;
    const taken = this.#snapshots.get(session) ?? sentAt;
    this.#snapshots.set(session, taken);
    return taken;
  }

  note({ session, step, result }: Act, at: number) {
    const ends = /^(commit|rollback)$/i.test(step.text);
    if (/^(insert|update|delete|with)\b/i.test(step.text)) this.#wrote.add(session);
    if (/^commit$/i.test(step.text) && result && 'rows' in result && this.#wrote.has(session))
      this.commits.push({ session, at });
    if (!ends) return;
    this.#wrote.delete(session);
    this.#snapshots.delete(session);
  }
}

function describeEntry(entry: Entry, index: number, history: History): string[] {
  const label = String(index + 1).padStart(3);
  const { choice, acts } = entry;
  const lines = [];
  if (choice === 't') lines.push(`${label}   -- time passes --`);
  else if (choice.startsWith('x'))
    lines.push(`${label}   -- the connection of S${choice.slice(1)} is cut --`);
  else if (acts.length === 0)
    lines.push(...inColumn(label, Number(choice), ['<waiting for something in memory>']));
  for (const act of acts) {
    const described = describeAct(act, index, history);
    lines.push(...inColumn(lines.length === 0 ? label : '', act.session, described));
    history.note(act, index);
  }
  return lines;
}

function describeAct(act: Act, index: number, history: History): string[] {
  const { step, result, sentAt, waitsFor } = act;
  const statement = readableStatement(step);
  const taken = history.snapshotOf(act);
  if (!result) return [statement, `<waiting for ${names(waitsFor)}>`];
  const outcome = 'rows' in result ? readableRows(result.rows, step) : readableError(result.error);
  const said = sentAt === index ? statement : `<… ${statement.split(' ')[0]} completed>`;
  const unseen = isRead(act)
    ? history.commits.filter(({ session, at }) => session !== act.session && at > taken)
    : [];
  const note = `(snapshot of step ${taken + 1}: does not see the commit of ${names([...new Set(unseen.map(({ session }) => session))])})`;
  return [said, ...(outcome ? [`→ ${outcome}`] : []), ...(unseen.length ? [note] : [])];
}

/** FOR UPDATE outside a fixed snapshot looks at the locked row as it is now, so it misses nothing. */
function isRead({ step }: Act): boolean {
  if (/^select\b/i.test(step.text))
    return step.fixedSnapshot || !/\bfor (no key )?update\b/i.test(step.text);
  return /^with\b/i.test(step.text);
}

function describeEnding(ending: Ending): string[] {
  if ('error' in ending) return [`= ${readableError(ending.error)}`];
  const { value } = ending;
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : value;
  return [`= ${kind}`];
}

const names = (sessions: number[]) => sessions.map((session) => `S${session}`).join(' and ');

/** Paragraphs in the column of a session, the label in the margin of the first line. */
function inColumn(label: string, session: number, paragraphs: string[]): string[] {
  const indent = MARGIN + (session - 1) * COLUMN;
  return paragraphs
    .flatMap((paragraph) => wrap(paragraph, COLUMN - 2))
    .map((line, index) => (index === 0 ? label.padEnd(indent) : ' '.repeat(indent)) + line);
}

/** Breaks at spaces; the lines after the first are indented a little. */
function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line && line.length + 1 + word.length > width) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
