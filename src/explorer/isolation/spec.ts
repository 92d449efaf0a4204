import { RULES } from '../stage.ts';
import { RESET_TIME } from '../time.ts';
import { CLOCK } from './permutation.ts';
import type { NamedStep, Plan, Planned } from './plan.ts';
import { READER } from './plan.ts';
import { asLines } from './statement.ts';

/**
 * Writes a plan as a spec for PostgreSQL's isolation tester. `head` are comment lines for a reader.
 */
export function specOf(plan: Plan, head: readonly string[]): string {
  const sessions = [...new Set(plan.steps.map(({ session }) => session))].sort();
  return [
    ...head.map((line) => `# ${line}`),
    '',
    setUpOf(plan),
    ...sessions.map((session) => sessionOf(session, plan.steps)),
    ...plan.leftOut.map(({ schedule, reason }) => `# left out: ${schedule} (${reason})`),
    ...plan.permutations.map(permutationOf),
    '',
  ].join('\n');
}

/** Writes the set-up as one transaction, so the tester prints no result of the set-up. */
function setUpOf({ recording }: Plan): string {
  const reset = { text: RESET_TIME, params: [] };
  const statements = [reset, ...recording.setUp].map(asLines);
  return block('setup', ['begin', ...statements, 'commit'].join(';\n'));
}

function sessionOf(session: string, steps: readonly NamedStep[]): string {
  const own = steps.filter((step) => step.session === session);
  const isPlayed = session !== CLOCK && session !== READER;
  return [
    `session ${session}`,
    ...(isPlayed ? [block('setup', SET)] : []),
    ...own.map(({ name, sql }) => `step "${name}" { ${sql} }`),
    ...(isPlayed ? [block('teardown', CLEAN)] : []),
    '',
  ].join('\n');
}

const block = (name: string, sql: string) => `${name}\n{\n${sql};\n}\n`;

const SET = Object.entries({ ...RULES, client_min_messages: 'error' })
  .map(([name, value]) => `set ${name} = ${listOf(value)}`)
  .join('; ');

/**
 * Quotes each schema of the search path alone. PostgreSQL would read a quoted list as one schema.
 */
function listOf(value: string | number): string {
  return String(value)
    .split(', ')
    .map((each) => `'${each}'`)
    .join(', ');
}

/** Ends everything that a schedule could leave to the next schedule. */
const CLEAN = 'rollback; do $$ begin perform pg_advisory_unlock_all(); end $$';

function permutationOf({ schedule, effects, steps }: Planned): string {
  const outside = effects.length > 0 ? ` (outside the database: ${effects.join('; ')})` : '';
  return `# ${schedule}${outside}\npermutation ${steps.map(({ name }) => `"${name}"`).join(' ')}`;
}
