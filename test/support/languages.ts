import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { shellWord } from '../../src/lab/programs/shell-word.ts';

/** A language whose programs take part in some tests, and that a machine may lack. */
export interface Language {
  title: string;
  /** The example, from the project's folder. */
  file: string;
  /** The command that runs a file. */
  commandOf(file: string): string;
}

/** Debian has these drivers as packages. No test downloads one. */
const GO_PACKAGES = '/usr/share/gocode';
const GO_DRIVER = `${GO_PACKAGES}/src/github.com/lib/pq`;
const JAVA_DRIVER = '/usr/share/java/postgresql.jar';
const PYTHONS = [process.env.PYTHON_PATH, 'python3', '/usr/bin/python3'].filter((each) => !!each);

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

const python = PYTHONS.find((each) => runs(each as string, '-c', 'import psycopg'));

const example = (name: string) => path.join('examples/any-language', name);

const go: Language = {
  title: 'Go',
  file: example('go/main.go'),
  commandOf: (file) => `GO111MODULE=off GOPATH=${GO_PACKAGES} go run ${shellWord(file)}`,
};
const pythonLanguage: Language = {
  title: 'Python',
  file: example('python/claim.py'),
  commandOf: (file) => `${python} ${shellWord(file)}`,
};
const java: Language = {
  title: 'Java',
  file: example('java/Claim.java'),
  commandOf: (file) => `java -cp ${JAVA_DRIVER} ${shellWord(file)}`,
};

/** Says loudly that the tests of a language are skipped. `package` is what Debian calls the missing part. */
function unlessMissing(language: Language, isThere: boolean, packages: string): Language[] {
  if (isThere) return [language];
  const { title } = language;
  process.stderr.write(
    `\n!!! There is no ${title} with its driver (${packages}). ` +
      `THE TESTS OF PROGRAMS IN ${title.toUpperCase()} ARE SKIPPED.\n\n`,
  );
  return [];
}

const hasGo = runs('go', 'version') && existsSync(GO_DRIVER);
const hasJava = runs('javac', '-version') && existsSync(JAVA_DRIVER);

/** The languages that this machine has. */
export const languages: Language[] = [
  ...unlessMissing(go, hasGo, 'golang-go, golang-github-lib-pq-dev'),
  ...pythons(),
  ...unlessMissing(java, hasJava, 'default-jdk-headless, libpostgresql-jdbc-java'),
];

/** CI installs the driver of Python, so its tests must run there. */
function pythons(): Language[] {
  if (python === undefined && process.env.CI)
    throw new Error('There is no psycopg (python3-psycopg). In CI the tests of Python must run.');
  return unlessMissing(pythonLanguage, python !== undefined, 'python3-psycopg');
}

/** Undefined on a machine without Go. */
export const goHere = languages.find((each) => each === go);
