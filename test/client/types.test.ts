import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir, start } from '../support/command.ts';
import { scripts } from '../support/npm-scripts.ts';

test('the check of types refuses the types of Node in the client', async () => {
  expect(scripts.check).toContain('tsc -p src/client');
  const folder = makeTmpDir();
  const settings = { extends: inProject('src/client/tsconfig.json'), include: ['.'] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
  writeFileSync(
    path.join(folder, 'with-node.ts'),
    "import 'node:fs';\nexport type Timer = NodeJS.Timeout;\nexport const { pid } = process;\n",
  );
  // The compiler also finds the types in node_modules of the project.
  const options = [
    '--noEmit',
    '--rootDir',
    folder,
    '--typeRoots',
    inProject('node_modules/@types'),
  ];
  const tsc = start(inProject('node_modules/.bin/tsc'), ['-p', folder, ...options], {}, folder);
  expect((await tsc.ended).code).not.toBe(0);
  for (const name of ['node:fs', 'NodeJS', 'process'])
    expect(tsc.stdout()).toMatch(new RegExp(`error TS\\d+: .*'${name}'`));
});
