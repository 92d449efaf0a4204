import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, vi } from 'vitest';
import { starterOf } from '../../src/lab/lessons/lesson.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { SECRET, watchArguments } from './arguments.ts';
import { type Command, makeDataDir, makeTmpDir, run, runServer, runWorker } from './command.ts';
import { makeDatabase } from './database.ts';
import { DOCTORS } from './doctors.ts';
import { lessonOf, workshop } from './workshop.ts';

const NAIVE = inProject('test/lab/programs/functions/naive.mjs');
const STRATEGY = inProject('test/lab/judge/judged/wrong-naive.ts');

/** A run of a command, and how it must end. */
interface Run {
  command: Command;
  /** Uses the command, and stops a command that does not end by itself. */
  driven?: Promise<unknown>;
  /** The expected exit code. The default is 0. */
  code?: number;
  /** The arguments of a process that the command must start. */
  child?: RegExp;
}

/** Runs the coach on a file, as a student does. */
function coach() {
  const folder = makeTmpDir();
  mkdirSync(path.join(folder, 'workshop/mine'), { recursive: true });
  copyFileSync(starterOf(lessonOf(4)), path.join(folder, 'workshop/mine/04-the-lock.ts'));
  return workshop(folder, '--lesson', '4');
}

const scripts = (name: string, args: string[], url = inject('scratchUrl')) =>
  run(`scripts/${name}.ts`, args, { DATABASE_URL: url });

/** Runs a command on a new database, which has the tables of the service. */
const onService = async (name: string): Promise<Run> => ({
  command: scripts(name, [], await makeDatabase()),
});

/** Runs an experiment in the sandbox of the server, and then stops the server. */
async function useSandbox(server: Command, says: RegExp) {
  const [, url] = await server.says(says);
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const answer = await fetch(`${url}/lab/sandbox`, {
    ...init,
    body: JSON.stringify(DOCTORS.broken),
  });
  expect(await answer.text()).toContain('event: done');
  server.child.kill('SIGTERM');
}

const LISTENS = /listens on (http:\S+)/;

/** Commands that know the address of a database, or that start processes. */
export const COMMANDS = {
  start() {
    const command = runServer({ DATA_DIR: makeDataDir() });
    return { command, driven: useSandbox(command, LISTENS), child: /guard\.js/ };
  },
  async 'start with DATABASE_URL'() {
    const command = runServer({ DATABASE_URL: await makeDatabase(), LAB: 'on' });
    return { command, driven: useSandbox(command, LISTENS), child: /guard\.js/ };
  },
  async worker() {
    const command = runWorker({ DATABASE_URL: await makeDatabase() });
    return { command, driven: command.says(/\n/).then(() => command.child.kill('SIGTERM')) };
  },
  // The file does not solve the lesson, so the exit code is 1.
  workshop: () => ({ command: coach(), code: 1, child: /coach\/worker/ }),
  classroom() {
    const command = run('scripts/classroom.ts', ['--host', '127.0.0.1', '--port', '0']);
    const driven = command.says(/Teacher:/).then(() => command.child.kill('SIGINT'));
    return { command, driven, code: 130, child: /guard\.js/ };
  },
  'race-demo': () => ({ command: scripts('race-demo', ['--recruiters', '5']) }),
  // The strategy and the program fall, so the exit code is 1.
  'judge with a strategy': () => ({
    command: scripts('judge', [STRATEGY]),
    code: 1,
    child: /rowlock-guarded/,
  }),
  'judge with a program': () => ({
    command: scripts('judge', ['--module', NAIVE]),
    code: 1,
    child: /module-host/,
  }),
  explore: () => ({ command: scripts('explore', ['--strategy', 'naive']) }),
  'explore by isolationtester': () => ({
    command: scripts('explore', ['--strategy', 'naive', '--isolation', makeTmpDir()]),
  }),
  replay: () => ({ command: scripts('replay', ['naive', '1,2']) }),
  'demo:webhooks': () => ({ command: run('scripts/demo-webhooks.ts', []), child: /guard\.js/ }),
  bench: () => ({
    command: scripts('bench', ['--scenario', 'alone', '--rounds', '1', '--seconds', '0.1']),
    child: /load-process/,
  }),
  faults: () => ({
    command: scripts('faults', ['--scenario', 'backends', '--kills', '1']),
    child: /server\.js/,
  }),
  'upgrade-demo': () => ({
    command: scripts('upgrade-demo', ['--claims', '1000', '--sessions', '1']),
  }),
  doctor: () => onService('doctor'),
  migrate: () => onService('migrate'),
  seed: () => onService('seed'),
  restored: () => onService('restored'),
  matrix: beginMatrix,
} satisfies Record<string, () => Promise<Run> | Run>;

/**
 * Runs `matrix` until it explores, and then stops the command. The whole command takes nine
 * minutes.
 */
function beginMatrix(): Run {
  const command = run('scripts/matrix.ts', ['--check']);
  const driven = vi
    .waitFor(() => expect(command.stderr()).toMatch(/schedule \d/), { timeout: 60_000 })
    .then(() => command.child.kill('SIGINT'));
  return { command, driven, code: 130, child: /guard\.js/ };
}

/** Runs a command. Asserts that no process of the command has a secret in its arguments. */
export async function expectNoSecret({ command, driven, code = 0, child = /./ }: Run) {
  const seen = watchArguments(command);
  await driven;
  expect(await command.ended, command.stderr()).toEqual({ code, signal: null });
  expect(seen()).toContainEqual(expect.stringMatching(child));
  expect(seen().filter((line) => SECRET.test(line))).toEqual([]);
}
