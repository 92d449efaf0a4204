import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, vi } from 'vitest';
import { type Box, Boxes } from '../../src/lab/sandbox/box.ts';
import { readExperiment } from '../../src/lab/sandbox/experiment.ts';
import { runExperiment } from '../../src/lab/sandbox/run.ts';
import type { Session } from '../../src/platform/db/session.ts';
import { databaseError } from '../../src/platform/db/sqlstate.ts';
import { atEnd, isRunning, postmasterOf } from './command.ts';
import { DOCTORS } from './doctors.ts';
import { PATIENT } from './sandbox.ts';

const run = (session: Session, text: string) => session.run({ text, params: [], asArrays: false });

/**
 * Runs the statements in one session. Returns the reason why the watch has ended the session, or
 * the code of the first error, or `harmless`.
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

/** Returns the folder and the process id of the server of a box. */
async function serverOf({ stage }: Box) {
  const [row] = await stage.run(`select current_setting('data_directory') as data`);
  const home = path.dirname((row as { data: string }).data);
  return { home, pid: postmasterOf(home) };
}

/**
 * Makes a hostile student. The statements bypass the list of allowed statements, and go to the
 * sessions directly. So the tests show that the role and the watch alone are enough protection.
 */
export async function makeHostile(limits = PATIENT) {
  const boxes = new Boxes({ limits });
  atEnd(() => boxes.close());

  /** Another student, whose box stays open during all attempts. */
  const neighbour = await boxes.open(2);
  await run(neighbour.stage.admin, 'create table mine (id int primary key)');
  await run(neighbour.stage.admin, 'insert into mine values (1)');

  /** Asserts that the neighbour's data and sessions are unharmed. */
  async function expectUnharmed() {
    const { stage, watch } = neighbour;
    expect(watch.reason).toBeUndefined();
    expect(await run(stage.admin, 'select id from mine')).toEqual([{ id: 1 }]);
    expect((await stage.sessions(2)).every(({ session }) => session.isAlive())).toBe(true);
  }

  /** Asserts that an experiment of the next student works as usual. */
  async function expectNextUnharmed() {
    const next = await runExperiment(boxes, readExperiment(DOCTORS.broken));
    expect(next).toMatchObject({ schedules: 20, faults: { broken: 18 }, isComplete: true });
  }

  /** The box of the attempts. All attempts share a box until the watch ends its server. */
  let box: Box | undefined;

  /** Closes the box of the attempts. Asserts that nothing is left of the box. */
  async function closeBox() {
    if (!box) return;
    const { home, pid } = server;
    await box.close();
    box = undefined;
    expect(isRunning(pid)).toBe(false);
    await vi.waitFor(() => expect(existsSync(home)).toBe(false), { timeout: 20_000 });
    await expectNextUnharmed();
  }
  let server = { home: '', pid: 0 };

  async function openBox() {
    box = await boxes.open(2);
    server = await serverOf(box);
    return box;
  }

  /**
   * Expects this end of an attempt. An attempt can find everything that earlier attempts have left.
   */
  async function expectEnd(end: string, texts: string[]) {
    const used = box ?? (await openBox());
    const ended = await attempt(used, texts);
    if (used.watch.reason !== undefined) await closeBox();
    expect(ended).toBe(end);
    await expectUnharmed();
  }

  /** Asserts that nothing is left of the attempts, and that the neighbour is unharmed. */
  async function expectNothingLeft() {
    await closeBox();
    await expectUnharmed();
  }

  return { expectEnd, expectNothingLeft };
}
