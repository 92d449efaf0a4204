import * as fs from 'node:fs';
import path from 'node:path';
import { PlainError } from '../../../src/platform/process/errors.ts';
import { installLocked } from '../../../src/platform/process/npm-ci.ts';
import { inProject } from '../../../src/platform/process/project.ts';

/** The other queues, installed on this machine. */
export interface Peers {
  /** The folder that contains their `node_modules`. */
  folder: string;
  /** The Node that runs all queues, including ours. The other queues need at least Node 22.18. */
  node: string;
}

/**
 * Installs the other queues from a separate lockfile. Does nothing if they are installed already.
 * The project does not depend on them, because they would make each install larger by 200 MB.
 *
 * Throws a `PlainError` if the installation fails.
 */
export async function installPeers(
  stop: AbortSignal,
  onProgress: (text: string) => void,
): Promise<Peers> {
  const locked = {
    folder: inProject('proof/bench/queue/peers'),
    what: 'the other queues, which the scenario compares',
    onInstall: () => onProgress('installing graphile-worker, pg-boss and Node 22 (60 MB, once)'),
  };
  const folder = await installLocked(locked, stop);
  return { folder, node: nodeIn(folder) };
}

/**
 * Returns the path of Node 22. The lockfile lists Node 22 for all platforms. npm installs only the
 * package for this platform.
 */
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
