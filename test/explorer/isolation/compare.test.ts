import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { compare, compareWith } from '../../../src/explorer/isolation/compare.ts';
import type { Plan } from '../../../src/explorer/isolation/plan.ts';
import type { Stage } from '../../../src/explorer/stage.ts';
import { explored, makeBareStage } from '../../support/isolation.ts';

/**
 * Returns the recorded output of PostgreSQL's isolationtester for one of our specs. See
 * docs/isolationtester.md.
 */
const outputOf = (name: string) =>
  readFileSync(new URL(`recorded/${name}.out`, import.meta.url), 'utf8');
const OUTPUT = outputOf('claims-row-lock-last-slot-2');

let stage: Stage;
let plan: Plan;
beforeAll(async () => {
  stage = await makeBareStage();
  plan = await explored(stage, 'claims/row-lock', 'last-slot');
});

/** Returns the output with one change. Fails if the output does not contain the words. */
function edited(words: string | RegExp, replacement: string): string {
  const changed = OUTPUT.replace(words, replacement);
  expect(changed).not.toBe(OUTPUT);
  return changed;
}

const difference = (output: string) => compare(plan, output)?.words;

describe('the output of the tester', () => {
  test('agrees with every schedule of row-lock, including the waits', () => {
    expect(plan.permutations.length).toBe(8);
    expect(OUTPUT).toContain('<waiting ...>');
    expect(compare(plan, OUTPUT)).toBeUndefined();
  });

  test('agrees with schedules in which a process dies, time passes and a worker runs afterwards', async () => {
    const alone = await explored(stage, 'queue/lease-by-attempt', 'alone');
    const output = outputOf('queue-lease-by-attempt-alone-1');
    expect(output).toMatch(/^step clock_1: .*^step s1_\d: select pg_advisory_unlock_all\(\)$/ms);
    expect(compare(alone, output)).toBeUndefined();
  });

  test('differs if a statement did not wait', () => {
    expect(difference(edited(' <waiting ...>', ''))).toContain('waited until step');
  });

  test('differs if a statement waited longer', () => {
    const [completed = ''] = /step \S+: <\.\.\. completed>\n.*?\n\n/s.exec(OUTPUT) ?? [];
    const later = OUTPUT.replace(completed, '').replace(/\nstep claims\//, `\n${completed}$&`);
    expect(later).not.toBe(OUTPUT);
    expect(difference(later)).toMatch(/here the statement .*, in the tester it /);
  });

  test('differs if a statement failed', () => {
    expect(difference(edited(/\nstep s1_\d: commit/, '$&\nERROR:  deadlock detected'))).toContain(
      'here the result was no error, in the tester deadlock detected',
    );
  });

  test('differs if a row has another value', () => {
    expect(difference(edited('|       4|', '|       5|'))).toMatch(/here the rows were .*4.*5/);
  });

  test('differs if the tables have another row at the end', () => {
    expect(difference(edited('"recruiter_id":2,', '"recruiter_id":1,'))).toContain(
      'here the tables at the end were',
    );
  });

  test.each([
    ['is produced again if a deadlock once aborts another session than in our schedule', 1, 2],
    ['differs if a deadlock aborts another session in each of five plays', 9, 5],
  ])('%s', async (_, wrong, played) => {
    const other = edited(/\nstep s1_\d: commit/, '$&\nERROR:  deadlock detected');
    let plays = 0;
    const found = await compareWith(plan, async () => (++plays <= wrong ? other : OUTPUT));
    expect([plays, found === undefined]).toEqual([played, wrong < played]);
  });

  test('is produced only once if it differs without a deadlock', async () => {
    let plays = 0;
    const play = async () => edited('|       4|', `|       ${4 + ++plays}|`);
    expect((await compareWith(plan, play))?.words).toContain('here the rows were');
    expect(plays).toBe(1);
  });

  test('differs, and the difference names its schedule', () => {
    const found = compare(plan, edited(/<waiting \.\.\.>/, ''));
    expect(found?.schedule).toBe(plan.permutations[(found?.number ?? 0) - 1]?.schedule);
  });
});

describe('an output that cannot be compared', () => {
  const half = OUTPUT.slice(0, OUTPUT.length / 2);
  test.each([
    ['empty', '', /it has 0 of 8 schedules of claims\/row-lock:last-slot:2\.$/],
    ['another text', 'hello\n', /0 of 8 schedules/],
    ['cut off', half, /[34] of 8 schedules/],
    ['cut off in the last table', OUTPUT.trimEnd().slice(0, -9), /7 of 8 schedules/],
    ['cut off in the first line', OUTPUT.slice(0, 60), /0 of 8 schedules/],
    ['too long', OUTPUT + OUTPUT.slice(OUTPUT.indexOf('\n')), /16 of 8 schedules/],
  ])('that is %s gets an error of one line', (_, output, words) => {
    expect(() => compare(plan, output)).toThrow(words);
  });
});
