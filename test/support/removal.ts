import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir } from './command.ts';

const PARTS = [
  'src',
  'proof',
  'scripts',
  'drizzle',
  'deploy',
  'workshop',
  'package.json',
  'tsconfig.json',
];

/** A change that replaces `text` in a file with `left`. */
export interface Removal {
  file: string;
  text: string;
  left: string;
}

/** Copies the project, and changes one file. The file must contain the text once. */
export function projectWithout({ file, text, left }: Removal): string {
  const folder = makeTmpDir();
  for (const name of PARTS) cpSync(inProject(name), path.join(folder, name), { recursive: true });
  symlinkSync(inProject('node_modules'), path.join(folder, 'node_modules'));
  const parts = readFileSync(inProject(file), 'utf8').split(text);
  expect(parts).toHaveLength(2);
  writeFileSync(path.join(folder, file), parts.join(left));
  return folder;
}
