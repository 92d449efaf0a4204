import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { type Command, makeTmpDir, start } from './command.ts';

export const MISSING = 'The packages are not installed.';
export const OLD = 'The installed packages are not those of package-lock.json.';
export const USED =
  'node_modules is not what npm ci installs from package-lock.json. It is used as it is.';
export const WAITING =
  'Another command installs the packages, see .installing. This command waits for it.';
export const INSTALLING = 'Installing them by npm ci: about 300 MB. This may take a minute…';

export type Packages = Record<string, object>;
export const VERSION = { version: '1.0.0' };
/** A package inside the project needs no registry. */
export const LOCAL: Packages = {
  own: VERSION,
  'node_modules/own': { resolved: 'own', link: true },
};

export const writeJson = (file: string, content: object) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(content));
};

/** Makes a project with a lockfile for `wanted`. Without `installed`, no packages are installed. */
export function makeProject(wanted: Packages, installed?: Packages) {
  const folder = makeTmpDir();
  const inFolder = (name: string) => path.join(folder, name);
  const dependencies = Object.fromEntries(
    Object.keys(wanted)
      .filter((name) => name.startsWith('node_modules/'))
      .map((name) => [path.basename(name), wanted === LOCAL ? 'file:own' : '1.0.0']),
  );
  const engines = { node: '>=20.19' };
  const root = { name: 'project', version: '1.0.0', engines, dependencies };
  const lock = (packages: Packages) => ({ ...root, lockfileVersion: 3, requires: true, packages });
  writeJson(inFolder('package.json'), root);
  writeJson(inFolder('package-lock.json'), lock({ '': root, ...wanted }));
  writeJson(inFolder('own/package.json'), { name: 'own', version: '1.0.0' });
  const list = inFolder('node_modules/.package-lock.json');
  if (installed) writeJson(list, lock(installed));
  fs.cpSync(inProject('scripts/ready.mjs'), inFolder('scripts/ready.mjs'));
  const ready = (env: Record<string, string> = {}) =>
    start(process.execPath, ['scripts/ready.mjs'], env, folder);
  return {
    folder,
    inFolder,
    ready,
    isInstalled: () => fs.existsSync(list),
    lock: inFolder('.installing'),
  };
}

export async function outcomeOf(command: Command) {
  const { code } = await command.ended;
  return { code, lines: command.stderr().split('\n').filter(Boolean) };
}

export const READY = { code: 0, lines: [] };
export const refused = (...words: string[]) => ({ code: 2, lines: [words.join(' ')] });

/** Starts a registry that answers no request until `refuseAll` is called. */
export async function makeRegistry() {
  const waiting: (() => void)[] = [];
  let onAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  let isRefusing = false;
  const server = createServer((_, answer) => {
    const refuse = () => void answer.writeHead(404).end('{}');
    if (isRefusing) return refuse();
    waiting.push(refuse);
    onAsked();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const refuseAll = () => {
    isRefusing = true;
    for (const refuse of waiting) refuse();
  };
  const env = { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_cache: makeTmpDir() };
  return { env, asked, refuseAll };
}
