import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeService } from '../../support/app.ts';
import { makeTmpDir } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { checkTypes, install, packedFileOf, ran } from '../../support/packages.ts';

const { url } = await makeService(await makeDatabase());

// npm installs the package from a file, and the package has no dependencies. So npm needs no
// registry. test/campaigns/client/package.test.ts tests projects with Vite and React.
let folder: string;
beforeAll(async () => {
  const packed = await packedFileOf('client');
  folder = makeTmpDir();
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  await install(folder, packed);
});

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

const CLAIM = `import { createClient } from 'rowlock-client';
const answer = await createClient('${url}').claimJob({ jobId: 24, recruiterId: 9 });
if (answer.ok) console.log(answer.data.claim.jobId);
else if (answer.code === 'job-full') console.log(answer.capacity);
`;
const HOOK = `import { createClient, Claiming } from 'rowlock-client';
import { useJobs } from 'rowlock-client/react';
const rowlock = createClient('${url}');
export const board = new Claiming(rowlock, { company: 1 }, 7);
export const useBoard = () => useJobs(rowlock, { company: 1 }, 7).jobs[0]?.claim?.expiresAt;
`;

describe('the packed client in an empty project', () => {
  test('is the only installed package', () => {
    const { packages } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
    expect(Object.keys(packages)).toEqual(['', 'node_modules/rowlock-client']);
  });

  const forNode = ['--types', 'node', '--typeRoots', inProject('node_modules/@types')];
  const forBrowsers = ['--lib', 'es2022,dom,dom.iterable', '--types', ''];
  test.each([
    ['node16', ['--module', 'node16', '--moduleResolution', 'node16', ...forNode]],
    ['nodenext', ['--module', 'nodenext', '--moduleResolution', 'nodenext', ...forNode]],
    ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler', ...forBrowsers]],
  ])('passes the strict type check of tsc with the module resolution %s', async (_, options) => {
    write('claim.ts', CLAIM);
    write('hook.ts', HOOK);
    const strict = ['--target', 'es2022', '--skipLibCheck', 'false', '--noEmit', ...options];
    expect(await checkTypes(folder, ...strict, 'claim.ts', 'hook.ts')).toBe('');
    write('wrong.ts', CLAIM.replace('recruiterId: 9', 'recruiter: 9'));
    await expect(checkTypes(folder, ...strict, 'wrong.ts')).rejects.toThrow(/recruiterId/);
  });

  test('claims a job', async () => {
    write('claim.js', CLAIM);
    expect(await ran(folder, process.execPath, 'claim.js')).toBe('24\n');
  });
});
