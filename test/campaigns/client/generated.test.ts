import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import type { Document } from '../../../src/service/http/docs/document.ts';
import { makeService } from '../../support/app.ts';
import { makeTmpDir, start } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

const { url } = await makeService(await makeDatabase());
const folder = makeTmpDir();

/** Runs a command, which must end with the exit code 0. Returns its output. */
async function ran(program: string, ...args: string[]): Promise<string> {
  const command = start(program, args, {}, folder);
  expect(await command.ended, command.stderr() + command.stdout()).toEqual({
    code: 0,
    signal: null,
  });
  return command.stdout();
}

let operations: string[];
beforeAll(async () => {
  cpSync(inProject('test/campaigns/client/generated'), folder, { recursive: true });
  await ran('npm', 'ci', '--no-audit', '--no-fund');
  const text = await (await fetch(`${url}/openapi.json`)).text();
  writeFileSync(path.join(folder, 'openapi.json'), text);
  const { paths = {} } = JSON.parse(text) as Document;
  operations = Object.values(paths)
    .flatMap((item) =>
      Object.values(item as Record<string, { operationId: string; tags: string[] }>),
    )
    // Leave out the operations for operators, which answer text or depend on the server's state.
    .filter(({ tags }) => !tags.includes('Operation'))
    .map(({ operationId }) => operationId);
}, 300_000);

/** Checks the types of a program, runs it, and compares its calls with the OpenAPI document. */
async function callsEverything(program: string) {
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext'];
  const flags = ['--moduleResolution', 'bundler', '--allowImportingTsExtensions'];
  const types = ['--skipLibCheck', '--types', 'node'];
  expect(await ran('npx', 'tsc', ...strict, ...flags, ...types, `${program}.ts`)).toBe('');
  // The SDK imports its files without their extensions, as bundlers allow.
  await build({
    entryPoints: [path.join(folder, `${program}.ts`)],
    outfile: path.join(folder, 'out', `${program}.js`),
    bundle: true,
    format: 'esm',
    platform: 'node',
    tsconfigRaw: {},
  });
  const called = await ran('node', `out/${program}.js`, url);
  expect(called.trim().split('\n').toSorted()).toEqual(operations.toSorted());
}

test('with the types of openapi-typescript, a program compiles and calls every operation', async () => {
  await ran('npx', 'openapi-typescript', 'openapi.json', '-o', 'schema.ts');
  expect(readFileSync(path.join(folder, 'schema.ts'), 'utf8')).toContain('followClaims');
  await callsEverything('openapi-fetch');
}, 300_000);

test('with the SDK of Hey API, a program compiles and calls every operation', async () => {
  await ran('npx', 'openapi-ts', '-i', 'openapi.json', '-o', 'sdk', '-c', '@hey-api/client-fetch');
  await callsEverything('hey-api');
}, 300_000);
