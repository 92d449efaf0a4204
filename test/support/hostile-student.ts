import postgres from 'postgres';
import { expect } from 'vitest';
import type { Session } from '../../src/db/session.ts';
import { databaseError } from '../../src/db/sqlstate.ts';
import { type Box, Boxes, openBox } from '../../src/lab/sandbox/box.ts';
import { readExperiment } from '../../src/lab/sandbox/experiment.ts';
import { runExperiment } from '../../src/lab/sandbox/run.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';
import { DOCTORS } from './doctors.ts';

const run = (session: Session, text: string) => session.run({ text, params: [], asArrays: false });

/**
 * Runs the statements in one session. Returns why the watch has ended the session, or the code of
 * the first error, or `harmless`.
 */
async function attempt(box: Box, texts: string[]): Promise<string> {
  const [first] = await box.stage.sessions(2);
  const { session } = first ?? expect.fail('no session');
  try {
    for (const text of texts) await run(session, text);
    return 'harmless';
  } catch (error) {
    return box.watch.reason ?? databaseError(error)?.code ?? String(error);
  }
}

const nameOf = ({ stage }: Box) => new URL(stage.url).pathname.slice(1);

/**
 * A hostile student. The statements go to the sessions of the role itself, past the list of allowed
 * statements. So the tests show that the role and the watch hold alone.
 */
export async function makeHostile() {
  const url = await makeDatabase();
  const service = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => service.end());

  /** The data of the service, and its own rights and settings. */
  const stateOfService = async () => {
    const [state] = await service`
      select (select md5(string_agg(j::text, '' order by id)) from jobs j) as jobs,
        (select count(*)::int from job_claims) as claims,
        (select rolsuper and rolcanlogin from pg_roles where rolname = current_user) as account,
        (select coalesce(datacl::text, '') from pg_database where datname = current_database()) as acl,
        (select setting from pg_settings where name = 'statement_timeout') as timeout`;
    return state;
  };

  /** Another student, whose box stays open during all attempts. */
  const neighbour = await openBox(url, 2);
  atEnd(() => neighbour.close());
  await run(neighbour.stage.admin, 'create table mine (id int primary key)');
  await run(neighbour.stage.admin, 'insert into mine values (1)');
  const stateBefore = await stateOfService();

  /** The neighbour and the service notice nothing. */
  async function expectUnharmed() {
    const { stage, watch } = neighbour;
    expect(watch.reason).toBeUndefined();
    expect(await run(stage.admin, 'select id from mine')).toEqual([{ id: 1 }]);
    expect((await stage.sessions(2)).every(({ session }) => session.isAlive())).toBe(true);
    expect(await stateOfService()).toEqual(stateBefore);
  }

  /** The next student notices nothing. */
  async function expectNextUnharmed() {
    const next = await runExperiment(new Boxes(url), readExperiment(DOCTORS.broken));
    expect(next).toMatchObject({ schedules: 20, faults: { broken: 18 }, isComplete: true });
  }

  /** The box of the attempts. All attempts share a box until the watch ends its sessions. */
  let box: Box | undefined;

  /** Closes the box of the attempts. Nothing of the box is left, and the next student notices nothing. */
  async function closeBox() {
    if (!box) return;
    const name = nameOf(box);
    await box.close();
    box = undefined;
    const left = await service`
      select rolname as name from pg_roles where rolname = ${name}
      union all select datname from pg_database where datname = ${name}`;
    expect(left).toEqual([]);
    await expectNextUnharmed();
  }

  /** Expects this end of an attempt. Each attempt begins with all that the former attempts have left. */
  async function expectEnd(end: string, texts: string[]) {
    box ??= await openBox(url, 2);
    expect(await attempt(box, texts)).toBe(end);
    if (box.watch.reason !== undefined) await closeBox();
    await expectUnharmed();
  }

  /** Nothing is left, and the next student notices nothing. */
  async function expectNothingLeft() {
    await closeBox();
    await expectUnharmed();
  }

  atEnd(() => box?.close());
  return { url, expectEnd, expectNothingLeft };
}

export const TOO_LARGE = 'An answer was larger than the sandbox allows.';
