/**
 * The program of a process that runs one queue. The program obeys orders of its parent process, and
 * ends with its parent. Its arguments are the name of the queue, and the folder that contains the
 * packages of the other queues.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Station } from './station.ts';
import type { Tool, ToolName, ToolOrder, ToolReport } from './tool.ts';
import { graphileWorker } from './tools/graphile-worker.ts';
import { pgBoss } from './tools/pg-boss.ts';
import { rowlock } from './tools/rowlock.ts';

const [, , toolName = '', peersFolder = ''] = process.argv;

const tools: Record<ToolName, () => Promise<Tool>> = {
  rowlock: async () => rowlock,
  'graphile-worker': async () => graphileWorker(await load('graphile-worker')),
  'pg-boss': async () => pgBoss(await load('pg-boss')),
};

/** Loads a package that the project does not depend on. */
async function load<Library>(name: string): Promise<Library> {
  const { resolve } = createRequire(path.join(peersFolder, 'package.json'));
  return import(pathToFileURL(resolve(name)).href);
}

const station = tools[toolName as ToolName]().then((tool) => new Station(tool));

async function obey(order: ToolOrder): Promise<ToolReport> {
  return (await station).obey(order);
}

process.on('disconnect', () => process.exit());
process.on('message', async (order: ToolOrder) => {
  const report = await obey(order).catch((error: Error) => ({ failed: error.message }));
  process.send?.(report);
});
