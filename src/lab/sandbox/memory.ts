import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Session } from '../../db/session.ts';
import { databaseError } from '../../db/sqlstate.ts';

/** How much more memory a session may take than it has at its beginning. */
const MORE_MEMORY = 160 * 1024 * 1024;

/**
 * Limits the memory of a session's process. PostgreSQL has no such setting. The operating system has
 * one, if PostgreSQL runs on this machine and the machine runs Linux. Elsewhere the memory has only
 * PostgreSQL's own limits: 1 GB a value. `role` is the role of the session. Its name is random, and
 * the title of the process contains the name. So we never limit another process.
 */
export async function limitMemory(session: Session, role: string) {
  const [row] = await session.run(statement('select pg_backend_pid() as pid'));
  const { pid } = row as { pid: number };
  if (!(await isHere(pid, role))) return;
  await growStack(session);
  const before = await standOf(pid);
  if (!before) return;
  const most = before.bytes + MORE_MEMORY;
  const limit = ['--pid', `${pid}`, `--as=${most}:${most}`];
  // Without `prlimit` there is no limit, as on other systems.
  await promisify(execFile)('prlimit', limit, ownerOf(before)).catch(() => undefined);
}

const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const isHere = async (pid: number, role: string) =>
  (await read(`/proc/${pid}/cmdline`)).includes(role);

interface Stand {
  /** The size of the process in bytes. */
  bytes: number;
  uid: number;
  gid: number;
}

async function standOf(pid: number): Promise<Stand | undefined> {
  const status = await read(`/proc/${pid}/status`);
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const stand = { bytes: number('VmSize') * 1024, uid: number('Uid'), gid: number('Gid') };
  return Object.values(stand).every(Number.isInteger) ? stand : undefined;
}

/**
 * Only the owner of a process may limit the process, and in a container not even root may.
 * PostgreSQL never runs as root. So if we are root, the command runs as the owner of the process.
 */
const ownerOf = ({ uid, gid }: Stand) => (process.getuid?.() === 0 ? { uid, gid } : {});

const STACK_DEPTH_EXCEEDED = '54001';

/**
 * Lets the stack grow to its limit, before the memory gets a limit. A stack that cannot grow later would
 * crash the process, and a crash makes PostgreSQL end all its sessions.
 */
async function growStack(session: Session) {
  await session.run(statement(`select repeat('[', 1000000)::json`)).catch((error: unknown) => {
    if (databaseError(error)?.code !== STACK_DEPTH_EXCEEDED) throw error;
  });
}

const statement = (text: string) => ({ text, params: [], asArrays: false });
