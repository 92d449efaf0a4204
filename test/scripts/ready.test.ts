import { execFile, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir } from '../support/command.ts';
import { scripts } from '../support/npm-scripts.ts';
import {
  INSTALLING,
  LOCAL,
  MISSING,
  makeProject,
  OLD,
  outcomeOf,
  type Packages,
  READY,
  refused,
  USED,
  VERSION,
  writeJson,
} from '../support/ready-project.ts';

// test/slow/scripts/ready.test.ts stops a running install.
describe('the packages', () => {
  const a = { 'node_modules/a': VERSION };
  const cases: [string, Packages, Packages | undefined, string | undefined][] = [
    ['are those of the lockfile', a, a, undefined],
    ['were never installed', a, undefined, MISSING],
    ['lack a package', { ...a, 'node_modules/b': VERSION }, a, OLD],
    ['have a wrong version', a, { 'node_modules/a': { version: '0.9.0' } }, OLD],
    ['include an additional package', a, { ...a, 'node_modules/b': VERSION }, undefined],
    [
      'lack an optional package for another platform',
      { ...a, 'node_modules/b': { ...VERSION, optional: true } },
      a,
      undefined,
    ],
    [
      'lack all packages for development',
      { ...a, 'node_modules/b': { ...VERSION, dev: true } },
      a,
      undefined,
    ],
    [
      'lack only some of the packages for development',
      {
        ...a,
        'node_modules/b': { ...VERSION, dev: true },
        'node_modules/c': { ...VERSION, dev: true },
      },
      { ...a, 'node_modules/b': VERSION },
      OLD,
    ],
  ];
  test.concurrent.each(cases)('%s', async (_, wanted, installed, fault) => {
    const { ready, isInstalled } = makeProject(wanted, installed);
    const expected = fault === undefined ? READY : refused(fault, 'Run npm ci first.');
    expect(await outcomeOf(ready({ CI: 'true' }))).toEqual(expected);
    expect(isInstalled()).toBe(installed !== undefined);
  });
});

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };

/** Returns whether this user can run Node. Only root can run a Node in the home of root. */
const canRunNode = (user: { uid: number; gid: number }) =>
  spawnSync(process.execPath, ['--version'], { ...user, cwd: tmpdir() }).status === 0;

describe('a command', () => {
  test('installs missing packages, and does not install them again', async () => {
    const { ready, isInstalled, lock } = makeProject(LOCAL);
    const installing = { code: 0, lines: [`${MISSING} ${INSTALLING}`] };
    expect(await outcomeOf(ready({ CI: 'false' }))).toEqual(installing);
    expect([isInstalled(), fs.existsSync(lock)]).toEqual([true, false]);
    expect(await outcomeOf(ready())).toEqual(READY);
  });

  test('in production installs nothing, and says what to run', async () => {
    const { ready, isInstalled } = makeProject(LOCAL);
    const outcome = await outcomeOf(ready({ NODE_ENV: 'production' }));
    expect(outcome).toEqual(refused(MISSING, 'Run npm ci first.'));
    expect(isInstalled()).toBe(false);
  });

  test.each([
    ['have no list', undefined],
    ['differ from the lockfile', { 'node_modules/own': VERSION }],
  ])('in production uses packages that %s, and prints a line about them', async (_, installed) => {
    const { ready, inFolder } = makeProject({ 'node_modules/a': VERSION }, installed);
    fs.mkdirSync(inFolder('node_modules/a'), { recursive: true });
    const outcome = await outcomeOf(ready({ NODE_ENV: 'production' }));
    expect(outcome).toEqual({ code: 0, lines: [USED] });
    expect(fs.existsSync(inFolder('node_modules/a'))).toBe(true);
  });

  test.each(['.pnpm', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'])(
    'does not change a node_modules with %s of another package manager',
    async (name) => {
      const { ready, inFolder } = makeProject(LOCAL);
      fs.mkdirSync(inFolder(`node_modules/${name}`), { recursive: true });
      expect(await outcomeOf(ready())).toEqual({ code: 0, lines: [USED] });
      expect(fs.readdirSync(inFolder('node_modules'))).toEqual([name]);
    },
  );

  test('on an old Node says that Node is too old, before all other checks', async () => {
    const { ready, inFolder, isInstalled } = makeProject(LOCAL);
    writeJson(inFolder('package.json'), { engines: { node: '>=99.1' } });
    const line = `This is Node ${process.versions.node}. Install Node 99.1 or newer.`;
    expect(await outcomeOf(ready())).toEqual(refused(line));
    expect(isInstalled()).toBe(false);
  });

  test('ignores the lock of a process that has ended', async () => {
    const { ready, isInstalled, lock } = makeProject(LOCAL);
    fs.writeFileSync(lock, `${spawnSync(process.execPath, ['--version']).pid}`);
    expect((await outcomeOf(ready())).code).toBe(0);
    expect([isInstalled(), fs.existsSync(lock)]).toEqual([true, false]);
  });

  test.skipIf(isRoot && !canRunNode(nobody))('without write access names the cause', async () => {
    const { folder } = makeProject(LOCAL);
    if (!isRoot) fs.chmodSync(folder, 0o555);
    onTestFinished(() => fs.chmodSync(folder, 0o755));
    const [code, stderr] = await new Promise<[unknown, string]>((resolve) =>
      execFile(
        process.execPath,
        [path.join(folder, 'scripts/ready.mjs')],
        { cwd: folder, env: { PATH: process.env.PATH }, ...(isRoot && nobody) },
        (error, _, stderr) => resolve([error?.code, stderr]),
      ),
    );
    const why = `You may not write to ${folder}/, so its owner must run npm ci.`;
    expect([code, stderr]).toEqual([2, `${MISSING} ${why}\n`]);
  });

  test('whose registry fails prints the reason, and installs nothing', async () => {
    const { ready, isInstalled, lock } = makeProject({ 'node_modules/a': VERSION });
    const npm_config_registry = 'http://127.0.0.1:9';
    const { code, lines } = await outcomeOf(
      ready({ npm_config_registry, npm_config_fetch_retries: '0' }),
    );
    expect([code, lines]).toEqual([
      2,
      [`${MISSING} ${INSTALLING}`, expect.stringMatching(/^npm ci has failed: .*ECONNREFUSED/)],
    ]);
    expect([isInstalled(), fs.existsSync(lock)]).toEqual([false, false]);
  });

  test('without npm says that npm is missing, and removes the list of the older install', async () => {
    const old = { 'node_modules/a': { version: '0.9.0' } };
    const { ready, isInstalled } = makeProject({ 'node_modules/a': VERSION }, old);
    const lines = [`${OLD} ${INSTALLING}`, 'npm ci has failed: spawn npm ENOENT'];
    expect(await outcomeOf(ready({ PATH: makeTmpDir() }))).toEqual({ code: 2, lines });
    expect(isInstalled()).toBe(false);
  });
});

test('every npm script that needs a package first checks the installed packages', () => {
  const isReady = (line: string) =>
    /^(node scripts\/ready\.mjs|npm run --silent (build|check|generate:lab:claims)) && /.test(line);
  const others = Object.entries<string>(scripts).filter(([, line]) => !isReady(line));
  expect(others.map(([name]) => name)).toEqual(['build', 'version']);
  const build = fs.readFileSync(inProject('scripts/build-if-possible.mjs'), 'utf8');
  expect(build).toContain("import './ready.mjs';");
});
