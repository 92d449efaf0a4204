import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Freezes a process with SIGSTOP. Returns a function that thaws the process. A helper process, the
 * holder, thaws the frozen process when this command ends, even by SIGKILL. A frozen process would
 * not notice the end of this command, and would not end itself.
 */
export async function freeze(pid: number): Promise<() => Promise<void>> {
  // A Ctrl-C reaches the whole group of processes. The holder ignores this signal, because only the
  // end of the holder's input ends the freeze.
  const script = 'trap "" INT TERM HUP; kill -STOP "$1"; echo; read -r _; kill -CONT "$1"';
  const holder = spawn('sh', ['-c', script, 'sh', String(pid)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(holder, 'close');
  await Promise.race([once(holder.stdout, 'data'), ended]);
  return async () => {
    holder.stdin.end();
    await ended;
  };
}
