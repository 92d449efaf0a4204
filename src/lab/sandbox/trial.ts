import type { Program, Trial } from '../../explorer/trial.ts';
import type { Rows, Session } from '../../platform/db/session.ts';
import { databaseError } from '../../platform/db/sqlstate.ts';
import type { ReadExperiment } from './experiment.ts';
import { asStep, Mistake, mistakeIn, type Part, type TypedStatement } from './statements.ts';

/** The name of a fault. A schedule has this fault if the check is not true at its end. */
export const BROKEN = 'broken';

/**
 * Makes the trial of an experiment. All statements run in sessions of the student's role, also the
 * statements of `setUp` and `judge`. So no account of the service ever uses the student's tables.
 * `onMistake` is called if the typed text is wrong, since then no schedule can be right.
 */
export function trialOf(
  { tables, sessions, check }: ReadExperiment,
  onMistake: (mistake: Mistake) => void,
): Trial {
  return {
    setUp: (admin) => setUp(admin, tables),
    sessions: sessions.map((statements, index) =>
      programOf(`session ${index + 1}`, statements, onMistake),
    ),
    async judge(admin) {
      const { holds, summary } = await checked(admin, check);
      return { faults: holds ? [] : [BROKEN], summary };
    },
  };
}

/** Drops everything that the previous schedule has made, and makes the tables. */
async function setUp(admin: Session, tables: TypedStatement[]) {
  const before = ['begin', 'drop owned by current_user cascade'];
  const texts = [...before, ...tables.map(({ text }) => text), 'commit'];
  const results = await Promise.allSettled(texts.map((text) => run(admin, text)));
  // After an error, PostgreSQL also refuses the statements that follow. COMMIT then rolls back.
  const failed = results.findIndex(({ status }) => status === 'rejected');
  if (failed < 0) return;
  const { reason } = results[failed] as PromiseRejectedResult;
  const statement = tables[failed - before.length];
  throw statement ? explained('tables', statement, reason) : reason;
}

/**
 * Makes a program that runs the statements one after the other. At the first error the program
 * stops, as other programs do at an exception. An open transaction is rolled back in any case.
 */
const programOf =
  (part: Part, statements: TypedStatement[], onMistake: (mistake: Mistake) => void): Program =>
  (_db, _sleep, _effect, lend) =>
    lend(async (session) => {
      for (const statement of statements) {
        const failed = await run(session, asStep(statement)).then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (!failed) continue;
        if (!isOutcome(failed.error)) {
          const mistake = explained(part, statement, failed.error);
          onMistake(mistake);
          throw mistake;
        }
        await run(session, 'rollback');
        return 'stopped by the error';
      }
      await run(session, 'rollback');
      return 'done';
    });

/**
 * The codes of errors that data or other sessions cause. After such an error, the typed text may
 * still be right.
 */
const OUTCOMES = [/^22/, /^23/, /^40/, /^55P03$/];

const isOutcome = (error: unknown): boolean => {
  const code = databaseError(error)?.code ?? '';
  return OUTCOMES.some((each) => each.test(code));
};

async function checked(admin: Session, { text, line }: TypedStatement) {
  // Two columns may have the same name, so rows are arrays.
  const answer: unknown = await admin
    .run({ text, params: [], asArrays: true })
    .catch((error: unknown) => {
      throw explained('check', { text, line }, error);
    });
  const rows = answer as unknown[][] & { columns: { name: string }[] };
  const [first, ...rest] = rows[0] ?? [];
  if (rows.length !== 1 || (typeof first !== 'boolean' && first !== null))
    throw mistakeIn(
      'check',
      { line },
      'The query must return one row, whose first column is true or false.',
    );
  const more = rest.map((value, index) => {
    const name = rows.columns[index + 1]?.name ?? '';
    return `${name === '?column?' ? '' : name} ${String(value).slice(0, 60)}`.trim();
  });
  return { holds: first === true, summary: [`the check is ${first}`, ...more].join(', ') };
}

function explained(part: Part, statement: TypedStatement, error: unknown): Mistake {
  if (error instanceof Mistake) return error;
  const message = error instanceof Error ? error.message : String(error);
  return mistakeIn(part, statement, message.slice(0, 300));
}

const run = (session: Session, text: string): Promise<Rows> =>
  session.run({ text, params: [], asArrays: false });
