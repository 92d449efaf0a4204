import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { changed, hostsOf } from '../db/hosts.ts';
import { findInstalled } from './binaries.ts';

/** Plays a spec in the database at `url`, and returns the output of the program. */
export type IsolationTester = (url: string, spec: string, stop?: AbortSignal) => Promise<string>;

/**
 * Finds PostgreSQL's own isolationtester, in the version of the embedded server. Returns undefined
 * if the program does not run here. Only the packages for Linux have the program.
 */
export function findIsolationTester(): IsolationTester | undefined {
  const native = findInstalled();
  if (native === undefined) return undefined;
  const program = path.join(native, 'lib/postgresql/pgxs/src/test/isolation/isolationtester');
  // Without this variable the program loads the libpq of the system, which may be older.
  const env = { LD_LIBRARY_PATH: path.join(native, 'lib') };
  if (spawnSync(program, ['-V'], { env }).status !== 0) return undefined;
  return async (url, spec, stop) => {
    const { password } = new URL(hostsOf(url)[0] ?? url);
    const address = changed(url, (each) => {
      each.password = '';
    });
    const running = promisify(execFile)(program, [address], {
      // Other users of the machine can read the arguments of a program.
      env: { ...env, PGPASSWORD: decodeURIComponent(password) },
      maxBuffer: Number.POSITIVE_INFINITY,
      signal: stop,
    });
    // If the program ends early, writing to the program fails. The exit code then reports the early
    // end.
    running.child.stdin?.on('error', () => undefined).end(spec);
    return (await running).stdout;
  };
}
