import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

// PostgreSQL runs each database session in a separate process, but cannot lower the priority of a
// process. Linux can lower the priority.

/**
 * The nice value of a greedy process. A process with this value gets about a ninth of the CPU time
 * that an ordinary process gets. With the value 19, it would get almost no CPU time.
 */
const LOW = 10;

/**
 * Lowers the priority of a PostgreSQL process. PostgreSQL calls setsid in each of its processes, so
 * each process leads a Linux session (not a database session). If Linux groups processes by session
 * (autogroup), only the priority of the group counts. Linux lets an ordinary user change the
 * priority of a group only ten times a second on the whole computer. So the command makes up to ten
 * attempts. With only one attempt, two of three students who began together kept their priority,
 * and the runs of other students took three times as long.
 */
export async function giveWay(pid: number) {
  const owner = await ownerOf(pid);
  const args = ['-c', GIVE_WAY, 'sh', `${pid}`, `${LOW}`];
  if (owner) await promisify(execFile)('sh', args, owner).catch(() => undefined);
}

const GIVE_WAY = `
  renice -n "$2" -p "$1"
  group="/proc/$1/autogroup"
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    [ -e "$group" ] || break
    echo "$2" >"$group" && break
    sleep 0.1
  done`;

/**
 * Returns the user and the group for the command, or undefined if the process has ended. The owner
 * of a process may lower its priority. Root may lower it too, but usually not in a container. So
 * root runs the command as the owner of the process. The owner is not root, because PostgreSQL
 * never runs as root.
 */
async function ownerOf(pid: number): Promise<{ uid?: number; gid?: number } | undefined> {
  if (process.getuid?.() !== 0) return {};
  const stand = await stat(`/proc/${pid}`).catch(() => undefined);
  return stand && { uid: stand.uid, gid: stand.gid };
}
