/**
 * Every command of package.json runs this file first. If the packages of package-lock.json are not
 * installed, this file installs them. This file is plain JavaScript and imports no package. An old
 * Node must be able to run this file, because the file then says that Node is too old. So this file
 * uses only syntax and imports that Node 14 knows.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The exit code is not 1, because the exit code 1 of `npm run doctor` means that the database has a
 * fault.
 */
const FAILED = 2;
/** Without these options, npm waits more than a minute for a registry that does not answer. */
const BRIEF_RETRIES = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
const CHECK_MS = 200;
const sleep = promisify(setTimeout);

const project = fileURLToPath(new URL('..', import.meta.url));
const inProject = (name) => path.join(project, name);
/** npm writes this list at the end of an install. */
const INSTALLED = inProject('node_modules/.package-lock.json');
/**
 * The file with the id of the installing process. Two installs at the same time would break each
 * other.
 */
const LOCK = inProject('.installing');
/** Files in `node_modules` that only pnpm and yarn make. */
const FOREIGN = ['.pnpm', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'];

const { CI = '', NODE_ENV } = process.env;
const isCi = !['', '0', 'false'].includes(CI);
const isProduction = NODE_ENV === 'production';

const say = (words) => process.stderr.write(`${words}\n`);

function fail(words) {
  say(words);
  process.exit(FAILED);
}

/** Ends this process if this Node is older than `engines` of package.json allows. */
function checkNode() {
  const { engines } = JSON.parse(fs.readFileSync(inProject('package.json'), 'utf8'));
  const [oldest] = engines.node.match(/\d+\.\d+/);
  const [major, minor] = oldest.split('.').map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  if (ourMajor < major || (ourMajor === major && ourMinor < minor))
    fail(`This is Node ${process.versions.node}. Install Node ${oldest} or newer.`);
}

/** Returns the packages in a lockfile. Returns undefined if the file is missing or incomplete. */
function packagesIn(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Returns a text about the fault of the installed packages. Returns undefined if nothing is wrong.
 */
function findFault() {
  const { '': _, ...wanted } = packagesIn(inProject('package-lock.json')) ?? {};
  const installed = packagesIn(INSTALLED);
  if (!installed) return 'The packages are not installed.';
  const all = Object.entries(wanted);
  // A production install leaves out the packages for development.
  const hasDev = !isProduction && all.some(([name, { dev }]) => dev && installed[name]);
  const isNeeded = ({ optional, dev, devOptional }) =>
    !optional && (hasDev || !(dev || devOptional));
  const isOld = ([name, entry]) =>
    installed[name] ? installed[name].version !== entry.version : isNeeded(entry);
  return all.some(isOld) ? 'The installed packages are not those of package-lock.json.' : undefined;
}

/** Returns whether `node_modules` must not be changed, although it differs from the lockfile. */
function mustStay() {
  // In production, another package manager may have installed, pruned or patched the packages.
  if (isProduction) return fs.existsSync(inProject('node_modules'));
  return !isCi && FOREIGN.some((name) => fs.existsSync(inProject(`node_modules/${name}`)));
}

function mayWrite() {
  try {
    for (const folder of [project, inProject('node_modules')].filter(fs.existsSync))
      fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Takes the lock for an install. Waits while another process installs. */
async function lock() {
  for (let isTold = false; !tryLock(); isTold = true) {
    if (!isTold)
      say('Another command installs the packages, see .installing. This command waits for it.');
    await sleep(CHECK_MS);
  }
}

function tryLock() {
  try {
    fs.writeFileSync(LOCK, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isAbandoned()) fs.rmSync(LOCK, { force: true });
  return false;
}

function isAbandoned() {
  try {
    process.kill(Number(fs.readFileSync(LOCK, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Installs the packages. Ends this process if the install fails or is stopped. */
async function install(fault) {
  say(`${fault} Installing them by npm ci: about 300 MB. This may take a minute…`);
  // npm writes this list last. We delete the old list, so an interrupted install does not count.
  fs.rmSync(INSTALLED, { force: true });
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...BRIEF_RETRIES];
  const npm = spawn('npm', args, {
    cwd: project,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // If this process is killed, npm continues. The next command then waits for npm.
  if (npm.pid) fs.writeFileSync(LOCK, `${npm.pid}`);
  let stop;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      stop = stop || signal;
      // After a gentler signal, npm would first wait for the registry.
      npm.kill('SIGKILL');
    });
  let errors = '';
  npm.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const code = await once(npm, 'close').then(
    ([code]) => code,
    (error) => {
      errors = error.message;
    },
  );
  fs.rmSync(LOCK, { force: true });
  if (stop) {
    say('The install was stopped. The next command begins it anew.');
    process.exit(128 + constants.signals[stop]);
  }
  if (code !== 0) fail(`npm ci has failed: ${reasonIn(errors)}`);
}

/** Returns the line that names the cause. */
function reasonIn(errors) {
  const lines = errors.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  const isTelling = (line) => line !== '' && !/^(code|errno|syscall|path) /.test(line);
  return lines.find(isTelling) ?? 'npm does not say why.';
}

/** Installs the packages, unless another command has installed them in the meantime. */
async function installOnce(fault) {
  if (!mayWrite()) fail(`${fault} You may not write to ${project}, so its owner must run npm ci.`);
  await lock();
  // Another command may have installed the packages meanwhile.
  const later = findFault();
  if (later) await install(later);
  else fs.rmSync(LOCK, { force: true });
}

checkNode();
const fault = findFault();
if (fault && mustStay())
  say('node_modules is not what npm ci installs from package-lock.json. It is used as it is.');
else if (fault && (isCi || isProduction)) fail(`${fault} Run npm ci first.`);
else if (fault) await installOnce(fault);
