import { createHash } from 'node:crypto';
import path from 'node:path';
import { readBuilt } from '../process/project.ts';

/**
 * A file that the pages load. Its name contains a hash of its content, so the content under one
 * name never changes.
 */
export interface Asset {
  name: string;
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

export interface Bundle {
  /** All files that are served, by name. No other file can be requested. */
  assets: Map<string, Asset>;
  /** The name of `file` with its hash, for example for board.js. */
  nameOf(file: BundledFile): string;
}

/** Each page has a script and a stylesheet of its own. */
export type PageName = 'board' | 'company' | 'join' | 'lab' | 'teacher';
type BundledFile = `${PageName}.${'js' | 'css'}` | 'icon.svg';

const TYPES: Record<BundledFile, string> = {
  'board.js': 'text/javascript; charset=utf-8',
  'board.css': 'text/css; charset=utf-8',
  'company.js': 'text/javascript; charset=utf-8',
  'company.css': 'text/css; charset=utf-8',
  'join.js': 'text/javascript; charset=utf-8',
  'join.css': 'text/css; charset=utf-8',
  'lab.js': 'text/javascript; charset=utf-8',
  'lab.css': 'text/css; charset=utf-8',
  'teacher.js': 'text/javascript; charset=utf-8',
  'teacher.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** Reads the files in `dist/pages`. Throws a `PlainError` if a file cannot be read. */
export function readBundle(): Bundle {
  const files = Object.keys(TYPES) as BundledFile[];
  const read = files.map((file) => [file, readAsset(file)] as const);
  const byFile = Object.fromEntries(read) as Record<BundledFile, Asset>;
  return {
    assets: new Map(read.map(([, asset]) => [asset.name, asset])),
    nameOf: (file) => byFile[file].name,
  };
}

function readAsset(file: BundledFile): Asset {
  const content = Uint8Array.from(readBuilt(`pages/${file}`));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const { name, ext } = path.parse(file);
  return { name: `${name}-${hash}${ext}`, type: TYPES[file], content };
}
