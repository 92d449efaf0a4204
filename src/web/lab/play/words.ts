import type { PlayState, ToldSchedule } from '../api.ts';

type ToldAct = ToldSchedule['steps'][number]['acts'][number];

export const names = (sessions: number[]) => sessions.map((each) => `S${each}`).join(' and ');

/** The row lock at the end of a statement, such as `for update`. Empty if there is none. */
export const lockIn = (statement: string): string =>
  /\bfor (no key update|update|share|key share)( skip locked)?$/i.exec(statement)?.[0] ?? '';

/** A statement in short: the part in which it differs from other statements. */
function brief(statement: string): string {
  const lock = lockIn(statement);
  if (lock) return `select … ${lock}`;
  const write = /^(insert into|update|delete from) [\w.]+/i.exec(statement);
  if (write) return write[0];
  return statement.length > 40
    ? `${statement.slice(0, 40).replace(/[\s,]+\S*$/, '')} …`
    : statement;
}

/** The last step in words, for a screen reader. */
export function whatHappened({ told, deadlock, verdict }: PlayState): string {
  const { schedule, steps, endings } = told;
  const last = steps.at(-1);
  if (!last) return 'Nobody has made a step yet.';
  const sentences = last.acts.map(sayAct);
  if (last.choice === 't') sentences.unshift('Time passes.');
  else if (last.acts.length === 0) sentences.push(`S${last.choice} waits for something in memory.`);
  if (deadlock?.step === schedule.length)
    sentences.push(
      `Deadlock: ${names(deadlock.cycle)} wait for one another, and PostgreSQL stops S${deadlock.victim}.`,
    );
  for (const { session } of last.acts)
    if (endings[session - 1]) sentences.push(`S${session} is told: ${endings[session - 1]}.`);
  if (verdict) sentences.push(`The end: ${verdict}.`);
  return `Step ${schedule.length}. ${sentences.join(' ')}`;
}

function sayAct({ session, statement, progress, result, note, waitsFor }: ToldAct): string {
  if (progress === 'waits') return `S${session} waits for ${names(waitsFor)}.`;
  const did = progress === 'ran' ? 'runs' : 'waited, and has now run';
  const gave = [result, note].filter((each) => each !== null).join('; ');
  return `S${session} ${did} ${brief(statement)}${gave && `: ${gave}`}.`;
}

/** The reason why a choice cannot be made now. */
export function whyNot(choice: string, { sessions, isOver }: PlayState): string {
  if (isOver) return 'Everybody has ended. Undo some steps, or reset.';
  if (choice === 't') return 'Nobody waits for time to pass now.';
  const session = sessions.find((each) => String(each.session) === choice);
  if (!session) return `There is no session ${choice} here.`;
  const { status, waitsFor } = session;
  if (status === 'waiting') return `S${choice} cannot go on: it waits for ${names(waitsFor)}.`;
  if (status === 'ended') return `S${choice} has ended.`;
  if (status === 'asleep') return `S${choice} sleeps until time passes.`;
  return `S${choice} waits for something in memory.`;
}
