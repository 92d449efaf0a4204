import path from 'node:path';
import { inject } from 'vitest';
import { shellWord } from '../../src/explorer/programs/shell-word.ts';

/** A language whose programs take part in some tests. */
export interface Language {
  title: string;
  /** The tag of the tests. */
  tag: 'go' | 'java' | 'python';
  /** The path of the example, relative to the project's folder. */
  file: string;
  /** Returns the command that runs a file. */
  commandOf(file: string): string;
}

const example = (name: string) => path.join('examples/any-language', name);

/**
 * Returns the path of a language's driver. Debian has packages of the drivers, so no test downloads
 * a driver.
 */
function driverOf(tag: Language['tag']): string {
  const { found = '', part = '' } = inject('needs').find(({ name }) => name === tag) ?? {};
  return path.join(path.dirname(found), '..', part);
}

/** The settings with which Go finds the driver of Debian, and downloads nothing. */
export const goSettings = () => ({
  GO111MODULE: 'off',
  GOPATH: path.join(driverOf('go'), '../../../..'),
});

export const go: Language = {
  title: 'Go',
  tag: 'go',
  file: example('go/main.go'),
  commandOf(file) {
    const settings = Object.entries(goSettings()).map(
      ([name, value]) => `${name}=${shellWord(value)}`,
    );
    return `${settings.join(' ')} go run ${shellWord(file)}`;
  },
};

export const python: Language = {
  title: 'Python',
  tag: 'python',
  file: example('python/claim.py'),
  commandOf: (file) => `python3 ${shellWord(file)}`,
};

export const java: Language = {
  title: 'Java',
  tag: 'java',
  file: example('java/Claim.java'),
  commandOf: (file) => `java -cp ${shellWord(driverOf('java'))} ${shellWord(file)}`,
};
