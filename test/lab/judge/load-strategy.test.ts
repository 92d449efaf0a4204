import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { claims } from '../../../src/lab/chapters/claims/index.ts';
import { loadStrategy } from '../../../src/lab/judge/load-strategy.ts';
import { makeTmpDir } from '../../support/command.ts';

function fileWith(text: string): string {
  const folder = makeTmpDir();
  writeFileSync(path.join(folder, 'other.ts'), 'export function handle() {}');
  const file = path.join(folder, 'mine.ts');
  writeFileSync(file, text);
  return file;
}

test.each([
  ['export default { async claim() {} };', 'claims', false],
  ['export default { async work() {} };', 'queue', false],
  ['const handle = async () => {}; export default { handle };', 'retries', false],
  ['export default async function work() {}', 'queue', false],
  ['const handle = async () => {}; export default handle;', 'retries', false],
  [
    'import * as o from "./other.ts"; export default function handle() { o.handle(); }',
    'retries',
    false,
  ],
  ['export default async () => {};', 'claims', true],
])('the chapter of a file is recognized by its export: %s', async (text, name, isGuess) => {
  const { chapter, ...loaded } = await loadStrategy(undefined, fileWith(text));
  expect([chapter.name, loaded.isGuess]).toEqual([name, isGuess]);
});

test('if the caller names a chapter, the name of the function does not matter', async () => {
  const loaded = await loadStrategy(claims, fileWith('export default async function work() {}'));
  expect([loaded.chapter.name, loaded.isGuess]).toEqual(['claims', false]);
});
