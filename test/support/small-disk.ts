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
import { atEnd } from './command.ts';
import { asRoot } from './needs.ts';

/** A small file system. A test can fill it in a moment. */
export interface SmallDisk {
  directory: string;
  /** Uses all free space, except `leaveMb` megabytes. */
  fill(leaveMb: number): void;
  makeRoom(): void;
}

const MB = 1024 * 1024;

function runAsRoot(...command: string[]) {
  const [program = '', ...args] = [...asRoot, ...command];
  execFileSync(program, args, { stdio: 'ignore' });
}

/**
 * Mounts a disk. Unmounts the disk after the tests of the file. The test needs the tag `mount`.
 */
export function makeSmallDisk(sizeMb: number): SmallDisk {
  const directory = mkdtempSync(path.join(tmpdir(), 'rowlock-test-disk-'));
  // If root runs the tests, PostgreSQL runs as another user, who must be able to read this
  // directory.
  const options = `size=${sizeMb}m,mode=755,uid=${process.getuid?.()}`;
  runAsRoot('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', directory);
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
