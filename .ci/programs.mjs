// @ts-check
/**
 * The list of programs that some tests need, and that a machine may lack. The tests, `.ci/run` and
 * CONTRIBUTING.md all use this list. This file imports no package, since `.ci/run` runs it before
 * `npm ci`.
 *
 *     node .ci/programs.mjs                  prints Debian's packages of the missing programs
 * node .ci/programs.mjs --bare FOLDER makes a folder of links to the programs of every machine
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * @typedef {object} Program
 * @property {string} name The tag of the tests that need the program.
 * @property {string} title The name for people.
 * @property {readonly string[]} files The files that the tests start. The other files are in the folder of the first file.
 * @property {readonly string[]} packages Debian's packages.
 * @property {string} [variable] The environment variable that gives another name or path of the first file.
 * @property {readonly string[]} [check] The arguments with which the first file ends with the exit code 0.
 * @property {string} [part] The path of a file that the program needs, relative to the folder above `bin`.
 */

/** @satisfies {readonly Program[]} */
export const programs = /** @type {const} */ ([
  {
    name: 'chromium',
    title: 'Chromium',
    files: ['chromium'],
    packages: ['chromium'],
    variable: 'CHROMIUM_PATH',
  },
  {
    name: 'pgbouncer',
    title: 'PgBouncer',
    files: ['pgbouncer'],
    packages: ['pgbouncer'],
    variable: 'PGBOUNCER_PATH',
  },
  {
    name: 'redis',
    title: 'Redis',
    files: ['redis-server'],
    packages: ['redis-server'],
    variable: 'REDIS_SERVER_PATH',
  },
  {
    name: 'etcd',
    title: 'etcd',
    files: ['etcd'],
    packages: ['etcd-server'],
    variable: 'ETCD_PATH',
  },
  {
    name: 'promtool',
    title: 'promtool',
    files: ['promtool'],
    packages: ['prometheus'],
    variable: 'PROMTOOL_PATH',
  },
  {
    name: 'openssl',
    title: 'OpenSSL',
    files: ['openssl'],
    packages: ['openssl'],
    variable: 'OPENSSL_PATH',
  },
  {
    name: 'postgresql',
    title: "a distribution's PostgreSQL",
    files: [
      ...['initdb', 'postgres', 'psql', 'pg_basebackup', 'pg_ctl', 'pg_dump', 'pg_restore'],
      'pgbench',
    ],
    packages: ['postgresql'],
    variable: 'INITDB_PATH',
  },
  {
    name: 'python',
    title: 'Python with psycopg 3',
    files: ['python3'],
    packages: ['python3-psycopg'],
    variable: 'PYTHON_PATH',
    check: ['-c', 'import psycopg'],
  },
  {
    name: 'go',
    title: 'Go with lib/pq',
    files: ['go'],
    packages: ['golang-go', 'golang-github-lib-pq-dev'],
    part: 'share/gocode/src/github.com/lib/pq',
  },
  {
    name: 'java',
    title: "Java's compiler with its driver",
    files: ['javac', 'java'],
    packages: ['default-jdk-headless', 'libpostgresql-jdbc-java'],
    part: 'share/java/postgresql.jar',
  },
  { name: 'haproxy', title: 'HAProxy', files: ['haproxy'], packages: ['haproxy'] },
  { name: 'curl', title: 'curl', files: ['curl'], packages: ['curl'] },
  { name: 'ps', title: 'ps', files: ['ps'], packages: ['procps'] },
  { name: 'script', title: 'script', files: ['script'], packages: ['bsdutils'] },
  { name: 'prlimit', title: 'prlimit', files: ['prlimit'], packages: ['util-linux'] },
  { name: 'setpriv', title: 'setpriv', files: ['setpriv'], packages: ['util-linux'] },
  { name: 'tar', title: 'tar', files: ['tar'], packages: ['tar'] },
  { name: 'sed', title: 'sed', files: ['sed'], packages: ['sed'] },
]);

/** The programs that every developer's machine has beside Node.js: npm, git, a shell, coreutils. */
const BARE = `npm npx git sh bash env
  [ arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit
  cut date dd df dir dircolors dirname du echo expand expr factor false fmt fold groups head hostid
  id install join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt
  od paste pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir runcon seq sha1sum
  sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac
  tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir wc who
  whoami yes`.split(/\s+/);

/**
 * Returns the path of the program's first file. Returns undefined on a machine without the program.
 *
 * @param {Program} program
 */
export function findProgram({ files: [file = ''], variable = '', check, part }) {
  return placesOf(process.env[variable] || file).find(
    (each) =>
      isProgram(each) &&
      (part === undefined || isThere(path.join(path.dirname(path.dirname(each)), part))) &&
      (check === undefined || spawnSync(each, check, { stdio: 'ignore' }).status === 0),
  );
}

/**
 * Returns the paths where a program may be. Debian installs PgBouncer in a folder that only root's
 * PATH names, and PostgreSQL in folders that no PATH names. The search adds these folders only if
 * they are beside a folder of the PATH. So a PATH without programs finds no program.
 *
 * @param {string} name
 */
function placesOf(name) {
  if (name.includes(path.sep)) return [path.resolve(name)];
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const beside = onPath
    .filter((folder) => path.basename(folder) === 'bin')
    .flatMap((folder) => [path.join(folder, '../sbin'), ...versionsBeside(folder)]);
  return [...onPath, ...beside].map((folder) => path.join(folder, name));
}

/** @param {string} folder */
function versionsBeside(folder) {
  const versions = path.join(folder, '../lib/postgresql');
  return (isThere(versions) ? readdirSync(versions) : [])
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => path.join(versions, version, 'bin'));
}

/** @param {string} file */
const isProgram = (file) => isThere(file, constants.X_OK);

/** @param {string} file */
function isThere(file, mode = constants.F_OK) {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes links to the files that this machine has. Leaves out the files that the machine lacks.
 *
 * @param {string} folder
 * @param {readonly string[]} files The names of the links.
 * @param {(file: string) => string | undefined} [find] Finds the file for a link.
 */
export function linkFiles(folder, files, find = (file) => placesOf(file).find(isProgram)) {
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    const found = find(file);
    if (found && isProgram(found)) symlinkSync(found, path.join(folder, file));
  }
}

/**
 * Makes links to the programs that every machine has.
 *
 * @param {string} folder
 */
export function linkBare(folder) {
  linkFiles(folder, BARE);
  symlinkSync(process.execPath, path.join(folder, 'node'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [option, folder, ...more] = process.argv.slice(2);
  if (option === undefined) {
    const missing = programs.filter((each) => findProgram(each) === undefined);
    for (const name of new Set(missing.flatMap(({ packages }) => [...packages])))
      process.stdout.write(`${name}\n`);
  } else if (option === '--bare' && folder !== undefined && more.length === 0) {
    linkBare(folder);
  } else {
    process.stderr.write('Usage: node .ci/programs.mjs [--bare FOLDER]\n');
    process.exitCode = 2;
  }
}
