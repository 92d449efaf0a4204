/** The pattern of a choice, with at most three sessions. `Choices` explains the choices. */
export const CHOICE = /^(t|[.kldxf]?[1-3])$/;

/** Returns the session that a choice names, or 0 if the choice names no session. */
export const sessionOf = (choice: string): number => Number(/\d+/.exec(choice)?.[0] ?? 0);

/** Whether the choice is an ordinary step of a session. */
export const isStep = (choice: string): boolean => /^\.?\d/.test(choice);

/** All kinds of choices, in the order in which `Choices` lists them. */
const KINDS = ['', 't', 'k', 'l', 'd', 'x', 'f'];

/** Compares two choices by the order in which `Choices` lists them. */
const compareChoices = (a: string, b: string): number =>
  rankOf(a) - rankOf(b) || sessionOf(a) - sessionOf(b);

/** Compares two schedules by the first choice in which they differ. */
export function compareSchedules(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((choice, index) => choice !== other[index]);
  return at < 0 ? one.length - other.length : compareChoices(one[at] ?? '', other[at] ?? '');
}

const rankOf = (choice: string) => KINDS.indexOf(choice.replace(/[.\d]/g, ''));

/** Returns the name of a session (from 1) for people. */
export type NameOf = (session: number) => string;

/** Names a session by its number, such as `S1`. */
export const byNumber: NameOf = (session) => `S${session}`;

/** Returns the names that people have given to the sessions. Without names, uses the numbers. */
export const nameFrom =
  (given: readonly string[] = []): NameOf =>
  (session) =>
    given[session - 1] ?? byNumber(session);

/** The sessions in words, such as `S1 and S2`. */
export const names = (sessions: readonly number[], nameOf: NameOf = byNumber) =>
  sessions.map(nameOf).join(' and ');
