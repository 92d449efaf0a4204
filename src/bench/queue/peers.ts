import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { environmentOf } from '../../config.ts';
import { PlainError } from '../../process/errors.ts';
import { inProject } from '../../process/project.ts';

/** The other queues, installed on this machine. */
export interface Peers {
  /** The folder that contains their `node_modules`. */
  folder: string;
  /** The Node that runs every queue, also ours. The others need at least Node 22.18. */
  node: string;
}

const OWN = inProject('src/bench/queue/peers');
const FILES = ['package.json', 'package-lock.json'];
/** Git ignores this folder, and `npm ci` clears it. */
const CACHE = inProject('node_modules/.cache');
const PREFIX = 'rowlock-bench-peers-';

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
  const contents = FILES.map((name) => fs.readFileSync(path.join(OWN, name)));
  const hash = createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 12);
  const folder = path.join(CACHE, `${PREFIX}${hash}`);
  if (!fs.existsSync(folder)) {
    onProgress('installing graphile-worker, pg-boss and Node 22 (60 MB, once)');
    await install(folder, stop);
  }
  return { folder, node: nodeIn(folder) };
}

/** Installs into a draft. One rename puts the draft in place, so `folder` is never incomplete. */
async function install(folder: string, stop: AbortSignal) {
  const draft = `${folder}-${process.pid}`;
  try {
    fs.mkdirSync(draft, { recursive: true });
    for (const name of FILES) fs.copyFileSync(path.join(OWN, name), path.join(draft, name));
    await npmCi(draft, stop);
    fs.renameSync(draft, folder);
  } catch (error) {
    // Another bench may have put its own draft in place.
    if (fs.existsSync(folder)) return;
    if (error instanceof PlainError || stop.aborted) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(
      `Cannot install the other queues in ${CACHE} (${code}). This needs npm and a folder to write to.`,
    );
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function npmCi(cwd: string, signal: AbortSignal) {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', [...args, '--prefix', cwd], {
    cwd,
    env: environmentOf({}),
    shell: process.platform === 'win32',
    signal,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const [code] = await once(child, 'close');
  if (code === 0) return;
  throw new PlainError(
    `The scenario compares other queues, and npm could not install them: ${errors.trim().split('\n')[0]}`,
  );
}

/** The lockfile has a Node for each platform. npm installs the one for this machine. */
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
