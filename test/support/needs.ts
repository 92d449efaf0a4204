import { spawnSync } from 'node:child_process';
import { findProgram, programs } from '../../.ci/programs.mjs';
import { findIsolationTester } from '../../src/platform/postgres/isolation-tester.ts';

/** A program or a right that some tests need, and that a machine may lack. */
export interface Need {
  /** The tag of the tests. */
  name: NeedName;
  /** The name for people. */
  title: string;
  /** The programs that the tests start. */
  files: readonly string[];
  /** Debian's packages. Empty for a right. */
  packages: readonly string[];
  /** The path of the first file. Undefined for a right, and for a program that is missing. */
  found: string | undefined;
  isThere: boolean;
  /**
   * The path of a file that the program needs, relative to the folder above the program's folder.
   */
  part?: string;
}

export type NeedName =
  | (typeof programs)[number]['name']
  | 'mount'
  | 'own-network'
  | 'isolationtester';

declare module '@vitest/runner' {
  // TypeScript then refuses all other tags.
  interface TestTags {
    tags: NeedName;
  }
}

/**
 * The words before a command that only root may run. On a CI machine, `sudo` may need no password.
 */
export const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

/** Returns a command in a network where every address of IPv4 and IPv6 leads to this machine. */
export const inOwnNetwork = (command: string): [string, ...string[]] => [
  ...(asRoot as []),
  'unshare',
  '--net',
  'sh',
  '-c',
  `ip link set lo up && ip route add local default dev lo && ip -6 route add local ::/0 dev lo && ${command}`,
];

const works = ([program, ...args]: string[]) =>
  spawnSync(program ?? '', args, { stdio: 'ignore' }).status === 0;

/** A command that mounts a disk that only its own process sees. */
const MOUNT = [...asRoot, 'unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'];

/** Returns all programs and rights that some tests need, and whether this machine has them. */
export const findNeeds = (): Need[] => [
  ...programs.map((program) => {
    const found = findProgram(program);
    return { ...program, found, isThere: found !== undefined };
  }),
  {
    name: 'mount',
    title: 'the right to mount',
    files: ['mount', 'umount', 'sudo'],
    packages: [],
    found: undefined,
    isThere: works(MOUNT),
  },
  {
    name: 'own-network',
    title: 'the right to make a network, and ip',
    files: ['unshare', 'ip', 'sudo'],
    packages: [],
    found: undefined,
    isThere: works(inOwnNetwork('true')),
  },
  {
    name: 'isolationtester',
    title: 'isolationtester of the embedded PostgreSQL',
    files: [],
    packages: [],
    found: undefined,
    isThere: findIsolationTester() !== undefined,
  },
];
