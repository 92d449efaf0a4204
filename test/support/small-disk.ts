import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'vitest';
import { atEnd } from './command.ts';

/** A small file system. A test can fill it in a moment. */
export interface SmallDisk {
  directory: string;
  /** Uses all free space, except `leaveMb` megabytes. */
  fill(leaveMb: number): void;
  makeRoom(): void;
}

const MB = 1024 * 1024;

/** Only root may mount. On a machine of a CI, `sudo` may need no password. */
const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
function runAsRoot(...command: string[]) {
  const [program = '', ...args] = [...asRoot, ...command];
  execFileSync(program, args, { stdio: 'ignore' });
}

/**
 * Mounts a disk. Unmounts the disk after the tests of the file. Throws if mounting is forbidden.
 */
export function makeSmallDisk(sizeMb: number): SmallDisk {
  const directory = mkdtempSync(path.join(tmpdir(), 'rowlock-test-disk-'));
  // If root runs the tests, PostgreSQL runs as another user, who must be able to read this
  // directory.
  const options = `size=${sizeMb}m,mode=755,uid=${process.getuid?.()}`;
  try {
    runAsRoot('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', directory);
  } catch (error) {
    rmdirSync(directory);
    throw error;
  }
  atEnd(() => {
    // A killed server may still use the disk for a moment.
    runAsRoot('umount', '--lazy', directory);
    rmdirSync(directory);
  });
  const ballast = path.join(directory, 'ballast');
  return {
    directory,
    fill: (leaveMb) => writeUntilFull(ballast, leaveMb),
    makeRoom: () => rmSync(ballast),
  };
}

function writeUntilFull(name: string, leaveMb: number) {
  const file = openSync(name, 'w');
  let size = 0;
  try {
    for (;;) size += writeSync(file, Buffer.alloc(MB));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    ftruncateSync(file, size - leaveMb * MB);
  } finally {
    closeSync(file);
  }
}

function canMount(): boolean {
  try {
    makeSmallDisk(1);
    return true;
  } catch {
    return false;
  }
}

const mayMount = canMount();
if (!mayMount)
  process.stderr.write(
    '\n!!! No file system can be mounted here. THE TESTS OF A FULL DISK ARE SKIPPED.\n\n',
  );

/** A test on small disks. Skipped, with a warning on stderr, if this user may not mount a disk. */
export const diskTest = test.runIf(mayMount);
