import * as fs from 'node:fs';
import path from 'node:path';
import { PlainError } from '../../process/errors.ts';
import { installLocked } from '../../process/npm-ci.ts';
import { inProject } from '../../process/project.ts';

/** The other queues, installed on this machine. */
export interface Peers {
  /** The folder that contains their `node_modules`. */
  folder: string;
  /** The Node that runs every queue, also our queue. The others need at least Node 22.18. */
  node: string;
}

/**
 * The other queues would make each install of the project heavier by 200 MB. So they are no
 * dependencies of the project. The first run of the bench installs them from their own lockfile.
 *
 * Throws a `PlainError` if they cannot be installed.
 */
export async function installPeers(
  stop: AbortSignal,
  onProgress: (text: string) => void,
): Promise<Peers> {
  const locked = {
    folder: inProject('src/bench/queue/peers'),
    what: 'the other queues, which the scenario compares',
    onInstall: () => onProgress('installing graphile-worker, pg-boss and Node 22 (60 MB, once)'),
  };
  const folder = await installLocked(locked, stop);
  return { folder, node: nodeIn(folder) };
}

/** The lockfile has a Node for each platform. npm installs the Node for this machine. */
function nodeIn(folder: string): string {
  const { platform, arch } = process;
  const system = platform === 'win32' ? 'win' : platform;
  const names = ['node', 'node-bin'].map((prefix) => `${prefix}-${system}-${arch}`);
  const file = platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  const found = names
    .map((name) => path.join(folder, 'node_modules', name, file))
    .find((program) => fs.existsSync(program));
  if (found === undefined)
    throw new PlainError(`The scenario needs a Node 22 for ${platform}-${arch}, and npm has none.`);
  return found;
}
