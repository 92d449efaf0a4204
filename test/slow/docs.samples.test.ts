import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { atEnd, start } from '../support/command.ts';
import { blocksIn } from '../support/pages.ts';

/** The folder of the samples is inside the project, so that TypeScript finds `rowlock/…`. */
mkdirSync(inProject('dist'), { recursive: true });
const folder = mkdtempSync(inProject('dist/documented-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));

test('every TypeScript sample of the documentation compiles', async () => {
  const samples = blocksIn('ts').map(({ text }, index) => {
    const file = path.join(folder, `sample-${index}.ts`);
    writeFileSync(file, text);
    return { file };
  });
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
    files: samples.map(({ file }) => file),
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include: [] }));
  const command = start('node_modules/.bin/tsc', ['-p', folder], {});
  expect(await command.ended, command.stdout()).toEqual({ code: 0, signal: null });
});
