import { playFree } from '../../explorer/free.ts';
import type { Stage } from '../../explorer/stage.ts';
import { sayEnding } from '../../explorer/tell.ts';
import type { Program } from '../../explorer/trial.ts';
import { databaseError, SQLSTATE } from '../../platform/db/sqlstate.ts';
import type { Addressed } from '../chapters/index.ts';

/** The maximum number of attempts. A higher limit would help nobody. */
const MOST_TRIES = 100;

/**
 * Plays a strategy while PostgreSQL refuses every insert into a table. The strategy must give up
 * after some serialization failures, and must throw any other error immediately. Returns a sentence
 * about the first rule that the strategy breaks, or undefined if it breaks no rule.
 */
export async function faultOfTries(
  stage: Stage,
  judged: Addressed,
  table: string,
): Promise<string | undefined> {
  await stage.run(refuseInserts(table));
  const lasting = await playRefused(stage, judged, table, SQLSTATE.serializationFailure);
  if (lasting.tries > MOST_TRIES)
    return `The tries have no bound. PostgreSQL refused every try, and the code still went on after ${MOST_TRIES} tries.`;
  if (lasting.ending !== 'busy')
    return `PostgreSQL refused every try with a serialization failure. Then the answer must be busy. It was: ${lasting.ending}.`;
  const other = await playRefused(stage, judged, table, SQLSTATE.checkViolation);
  if (other.tries <= 1 && other.code === SQLSTATE.checkViolation) return undefined;
  return (
    'The code must throw every error that is no serialization failure. PostgreSQL refused an insert by a ' +
    `rule of the table. The code tried ${timesInWords(other.tries)}, and the answer was: ${other.ending}.`
  );
}

const timesInWords = (times: number) => (times === 1 ? 'once' : `${times} times`);

/** Plays one session whose inserts are refused with this error, and counts these inserts. */
async function playRefused(
  stage: Stage,
  { chapter, strategy }: Addressed,
  table: string,
  code: string,
) {
  const trial = chapter.trial(strategy, chapter.crowd, 1);
  const [play] = trial.sessions as [Program];
  let tries = 0;
  let giveUp = () => {};
  const givenUp = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const program: Program = async (db, sleep, effect, lend) => {
    const text = `set ${REFUSAL} = '${code}'`;
    await lend((session) => session.run({ text, params: [], asArrays: false }));
    return Promise.race([play(db, sleep, effect, lend), givenUp]);
  };
  const { endings } = await playFree(
    stage,
    { ...trial, sessions: [program] },
    {
      onSeen({ text }) {
        if (new RegExp(`insert into "?${table}\\b`, 'i').test(text)) tries++;
        if (tries > MOST_TRIES) giveUp();
      },
    },
  );
  const [ending = { value: undefined }] = endings;
  const error = 'error' in ending ? databaseError(ending.error)?.code : undefined;
  return { tries, ending: sayEnding(ending), code: error };
}

/**
 * The setting that holds the error for a session's inserts. The setting ends with the session's
 * connection.
 */
const REFUSAL = 'rowlock.refusal';

const refuseInserts = (table: string) => `
  create or replace function refuse_insert() returns trigger language plpgsql as $$
  begin
    raise exception 'this insert is refused' using errcode = current_setting('${REFUSAL}');
  end $$;
  create or replace trigger refuse_insert before insert on ${table}
    when (current_setting('${REFUSAL}', true) <> '') execute function refuse_insert()`;
