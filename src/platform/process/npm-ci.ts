import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { PlainError } from './errors.ts';
import { inProject } from './project.ts';

const FILES = ['package.json', 'package-lock.json'];
/**
 * The folder for installed packages. Git ignores this folder, and `npm ci` of the project clears
 * it.
 */
const CACHE = inProject('node_modules/.cache');

/** Packages that are no dependencies of the project. */
export interface Locked {
  /** The folder with the `package.json` and the lockfile of the packages. */
  folder: string;
  /** The name of the packages, for people. */
  what: string;
  /** Called before the install. */
  onInstall(): void;
}

/**
 * Installs packages that have a separate lockfile. Does nothing if this version of the lockfile is
 * installed already. Returns the folder that contains the `node_modules` of the packages. Throws a
 * `PlainError` if the install fails.
 */
export async function installLocked(locked: Locked, stop: AbortSignal): Promise<string> {
  const contents = FILES.map((name) => fs.readFileSync(path.join(locked.folder, name)));
  const hash = createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 12);
  const { name } = JSON.parse(String(contents[0]));
  const installed = path.join(CACHE, `${name}-${hash}`);
  if (!fs.existsSync(installed)) {
    locked.onInstall();
    await install(locked, installed, stop);
  }
  return installed;
}

/**
 * Installs the packages into a draft folder. Then renames the draft to `installed`, so `installed`
 * is never incomplete.
 */
async function install({ folder, what }: Locked, installed: string, stop: AbortSignal) {
  const draft = `${installed}-${process.pid}`;
  try {
    fs.mkdirSync(draft, { recursive: true });
    for (const name of FILES) fs.copyFileSync(path.join(folder, name), path.join(draft, name));
    await npmCi(draft, what, stop);
    fs.renameSync(draft, installed);
  } catch (error) {
    // Another process may have installed the same packages in the meantime.
    if (fs.existsSync(installed)) return;
    if (error instanceof PlainError || stop.aborted) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(
      `Cannot install ${what} in ${CACHE} (${code}). This needs npm and a folder to write to.`,
    );
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function npmCi(cwd: string, what: string, signal: AbortSignal) {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', [...args, '--prefix', cwd], {
    cwd,
    shell: process.platform === 'win32',
    signal,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const [code] = await once(child, 'close');
  if (code === 0) return;
  throw new PlainError(`npm could not install ${what}: ${errors.trim().split('\n')[0]}`);
}
