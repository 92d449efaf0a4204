import type { PlayedSession, PlayState, ToldChapter, ToldSchedule } from '../api.ts';
import { sessionIn } from '../place.ts';

type ToldStep = ToldSchedule['steps'][number];
type ToldAct = ToldStep['acts'][number];

export const names = (sessions: number[]) => sessions.map((each) => `S${each}`).join(' and ');

/** The words for a session at a step without a statement. */
export const silences: Record<NonNullable<ToldStep['silence']>, string> = {
  'waits in memory': 'waits for something in memory',
  ends: 'ends without a statement',
};

/** Returns a number of sessions in words, such as `two workers`. */
export const howMany = (number: number, { one, many }: ToldChapter['session']): string =>
  number === 1 ? `one ${one}` : `${number === 2 ? 'two' : 'three'} ${many}`;

/** Returns the row lock at the end of a statement, such as `for update`. Empty if there is none. */
export const lockIn = (statement: string): string =>
  /\bfor (no key update|update|share|key share)( skip locked)?$/i.exec(statement)?.[0] ?? '';

/** Shortens a statement to the part that distinguishes the statement from others. */
function brief(statement: string): string {
  const lock = lockIn(statement);
  if (lock) return `select … ${lock}`;
  const write = /^(insert into|update|delete from) [\w.]+/i.exec(statement);
  if (write) return write[0];
  const within = /^with\b.*(?<!for |key )\b((insert into|update|delete from) [\w.]+)/i.exec(
    statement,
  );
  if (within) return `with … ${within[1]}`;
  return statement.length > 40
    ? `${statement.slice(0, 40).replace(/[\s,]+\S*$/, '')} …`
    : statement;
}

/** Returns the steps after the end of all sessions. In these steps the scheduler has no choice. */
export const stepsAfterwards = ({ steps }: Pick<ToldSchedule, 'steps'>): ToldStep[] =>
  steps.filter(({ choice }) => choice === '');

/** Puts the last step into words. Screen readers read these words. */
export function whatHappened(
  { told, deadlock, verdict }: PlayState,
  { afterwards }: Pick<ToldChapter, 'afterwards'>,
): string {
  const { schedule, steps, endings } = told;
  const last = steps.findLast(({ choice }) => choice !== '');
  if (!last) return 'Nobody has made a step yet.';
  const sentences = last.acts.map(sayAct);
  if (last.event) sentences.unshift(`${last.event.replace(/^./, (first) => first.toUpperCase())}.`);
  else if (last.silence) sentences.push(`S${sessionIn(last.choice)} ${silences[last.silence]}.`);
  if (deadlock?.step === schedule.length)
    sentences.push(
      `Deadlock: ${names(deadlock.cycle)} wait for one another, and PostgreSQL stops S${deadlock.victim}.`,
    );
  for (const { session } of last.acts)
    if (endings[session - 1] && !last.dead.includes(session))
      sentences.push(`S${session} is told: ${endings[session - 1]}.`);
  const after = stepsAfterwards(told);
  if (after.length > 0)
    sentences.push(`Afterwards${afterwards ? ` ${afterwards}` : ''}.`, ...sayEffects(after));
  if (verdict) sentences.push(`The end: ${verdict}.`);
  return `Step ${schedule.length}. ${sentences.join(' ')}`;
}

function sayAct(act: ToldAct): string {
  const { session, statement, isEffect, isInMemory, progress, waitsFor } = act;
  if (progress === 'waits') return `S${session} waits for ${names(waitsFor)}${gave(act)}.`;
  if (isEffect)
    return `S${session} does this ${placeOfEffect(isInMemory)}: ${statement}${gave(act)}.`;
  const did = progress === 'ran' ? 'runs' : 'waited, and has now run';
  return `S${session} ${did} ${brief(statement)}${gave(act)}.`;
}

/** Says where an effect takes place. */
export const placeOfEffect = (isInMemory: boolean) =>
  isInMemory ? 'in memory' : 'outside the database';

const sayEffects = (steps: ToldStep[]): string[] =>
  steps
    .flatMap(({ acts }) => acts)
    .filter(({ isEffect }) => isEffect)
    .map((act) => `Then: ${act.statement}${gave(act)}.`);

function gave({ result, note }: ToldAct): string {
  const all = [result, note].filter((each) => each !== null).join('; ');
  return all && `: ${all}`;
}

/** The keys of events about a session. The choice of an event begins with the key of the event. */
export const eventKeys = ['k', 'l', 'd', 'x', 'f', '.'] as const;
export type EventKey = (typeof eventKeys)[number];

/** Returns whether the situation allows events with this key at all. */
export function allows({ events, choices }: PlayState, key: EventKey): boolean {
  if (key === 'k') return events.deaths > 0;
  if (key === 'l') return events.lostAnswers > 0;
  return choices.some((choice) => choice.startsWith(key));
}

/** Puts an event into words, such as `the process of S1 dies`. */
export function sayEvent(key: EventKey, { session, dieTogether }: PlayedSession): string {
  return {
    k:
      dieTogether.length > 1
        ? `the process of ${names(dieTogether)} dies`
        : `S${session}’s process dies`,
    l: `S${session} loses the answer`,
    d: `S${session} answers, then dies`,
    x: `the connection of S${session} is cut`,
    f: `S${session}’s next statement fails`,
    '.': `S${session} answers its client`,
  }[key];
}

/** Returns the hint that appears after the first key of an event. */
export function askWhose(key: EventKey, { sessions }: PlayState): string {
  const question = {
    k: 'Whose process dies?',
    l: 'Who loses the answer to the next step?',
    d: 'Who answers, and then dies?',
    x: 'Whose connection is cut?',
    f: 'Whose next statement fails?',
    '.': 'Who answers the client?',
  }[key];
  return `${question} Press ${sessions.map(({ session }) => session).join(' or ')}, or Escape.`;
}

/** Returns the reason why a choice cannot be made now. */
export function whyNot(choice: string, state: PlayState): string {
  if (state.isOver) return 'Everybody has ended. Undo some steps, or reset.';
  if (choice === 't') return 'Nobody waits for time to pass now.';
  const number = sessionIn(choice);
  const key = eventKeys.find((each) => choice.startsWith(each));
  if (key && !allows(state, key)) return noSuchEvent[key];
  const session = state.sessions.find((each) => each.session === number);
  if (!session) return `There is no session ${number} here.`;
  if (session.isDead) return `The process of S${number} has died.`;
  if (session.status === 'ended') return `S${number} has ended.`;
  if (key) return whyNoEvent(key, state);
  return whyNoStep(session);
}

function whyNoStep({ session, status, waitsFor }: PlayedSession): string {
  if (status === 'waiting') return `S${session} cannot go on: it waits for ${names(waitsFor)}.`;
  if (status === 'asleep') return `S${session} sleeps until time passes.`;
  return `S${session} waits for something in memory.`;
}

const noSuchEvent: Record<EventKey, string> = {
  k: 'No process dies in this situation.',
  l: 'No answer gets lost in this situation.',
  d: 'Nobody answers a client now.',
  x: 'No connection can be cut now.',
  f: 'No statement can fail now.',
  '.': 'Nobody answers a client now.',
};

function whyNoEvent(key: EventKey, { events, told }: PlayState): string {
  const before = told.schedule.filter((choice) => /^[kd]/.test(choice)).length;
  if (key === 'k' && before >= events.deaths) return 'No other process dies in this situation.';
  if (key === 'k')
    return 'A process dies right after a step of its own, or while it holds a transaction or a lock.';
  if (key === 'l')
    return 'Only the answer to a commit or to an effect can get lost, and only once.';
  return noSuchEvent[key];
}
