import { createHash } from 'node:crypto';
import path from 'node:path';
import { readBuilt } from '../platform/process/project.ts';

/**
 * A file that the pages load. The name contains a hash of the content, so the content under one
 * name never changes.
 */
export interface Asset {
  name: string;
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

export interface Bundle {
  /** The files of these pages, by name. Nobody can request another file of `dist/pages`. */
  assets: Map<string, Asset>;
  /** Returns the name of a file such as board.js, with its hash. */
  nameOf(file: BundledFile): string;
}

/** Each page has a script and a stylesheet of its own. */
export type PageName = 'board' | 'company' | 'join' | 'lab' | 'teacher';
type BundledFile = `${PageName}.${'js' | 'css'}` | 'icon.svg' | typeof CODE_EDITOR;

/** The script of the SQL editor. Only lessons load it. */
export const CODE_EDITOR = 'code-editor.js';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the files of these pages in `dist/pages`. Throws a `PlainError` if a file cannot be read. */
export function readBundle(pages: readonly PageName[]): Bundle {
  const files = pages.flatMap((page): BundledFile[] => [`${page}.js`, `${page}.css`]);
  const more: BundledFile[] = pages.includes('lab') ? ['icon.svg', CODE_EDITOR] : ['icon.svg'];
  const byFile = new Map([...files, ...more].map((file) => [file, readAsset(file)]));
  return {
    assets: new Map([...byFile.values()].map((asset) => [asset.name, asset])),
    nameOf: (file) => (byFile.get(file) as Asset).name,
  };
}

function readAsset(file: BundledFile): Asset {
  const content = Uint8Array.from(readBuilt(`pages/${file}`));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const { name, ext } = path.parse(file);
  return { name: `${name}-${hash}${ext}`, type: TYPES[ext] ?? '', content };
}
