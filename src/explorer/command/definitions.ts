import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlainError, UsageError } from '../../platform/process/errors.ts';
import { nameOf } from '../package/explore.ts';
import { lineOf } from '../package/message.ts';
import type { Exploring } from '../package/types.ts';

/** An exploration that a file exports by default, alone or in an array. */
export interface Definition {
  /** The absolute path of the file. */
  file: string;
  order: Exploring;
}

/** Reads the definitions of these files. Throws a `UsageError` of one line if a file has none. */
export async function readDefinitions(files: readonly string[]): Promise<Definition[]> {
  if (files.length === 0)
    throw new UsageError('Name a file that exports an exploration. `init` writes an example.');
  const read: Definition[] = [];
  for (const name of files) read.push(...(await readFile(name)));
  return read;
}

async function readFile(name: string): Promise<Definition[]> {
  const file = path.resolve(name);
  if (!existsSync(file)) throw new UsageError(`There is no file ${name}.`);
  const orders = [await importDefault(name, file)].flat() as unknown[];
  if (orders.length === 0) throw new UsageError(`${name} exports an empty array.`);
  for (const order of orders)
    if (!isOrder(order))
      throw new UsageError(
        `${name} must export by default an object with setUp, sessions and holds, or an array of them.`,
      );
  const names = orders.map((order) => nameOf(order as Exploring));
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined)
    throw new UsageError(`${name} has two explorations "${twice}". Give each of them a \`name\`.`);
  return orders.map((order) => ({ file, order: order as Exploring }));
}

async function importDefault(name: string, file: string): Promise<unknown> {
  try {
    const { default: exported } = (await import(pathToFileURL(file).href)) as { default: unknown };
    return exported;
  } catch (error) {
    throw new PlainError(`${name} cannot be imported: ${lineOf(error)}`, { cause: error });
  }
}

function isOrder(order: unknown): order is Exploring {
  if (typeof order !== 'object' || order === null) return false;
  const { setUp, sessions, holds } = order as Partial<Exploring>;
  const isMap = typeof sessions === 'object' && sessions !== null;
  return typeof setUp === 'function' && typeof holds === 'function' && isMap;
}
