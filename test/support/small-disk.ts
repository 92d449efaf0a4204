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

/** A file system of its own, small enough to be filled in a moment. */
export interface SmallDisk {
  directory: string;
  /** Takes all the room that is left, except so many megabytes. */
  fill(leaveMb: number): void;
  makeRoom(): void;
}

const MB = 1024 * 1024;

/** A machine of a CI may let us mount by `sudo` though we are not root. */
const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
function runAsRoot(...command: string[]) {
  const [program = '', ...args] = [...asRoot, ...command];
  execFileSync(program, args, { stdio: 'ignore' });
}

/** Mounts a disk, and unmounts it when the tests of the file are over. Throws where it may not. */
export function makeSmallDisk(sizeMb: number): SmallDisk {
  const directory = mkdtempSync(path.join(tmpdir(), 'rowlock-test-disk-'));
  // Run by root, PostgreSQL has another user, who has to get in.
  const options = `size=${sizeMb}m,mode=755,uid=${process.getuid?.()}`;
  try {
    runAsRoot('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', directory);
  } catch (error) {
    rmdirSync(directory);
    throw error;
  }
  atEnd(() => {
    // A server that was just killed may still be ending.
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

/** A test on small disks; skipped, loudly, in a container or by a user that may not mount one. */
export const diskTest = test.runIf(mayMount);
