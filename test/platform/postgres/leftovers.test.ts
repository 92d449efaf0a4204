import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { clearLeftovers } from '../../../src/platform/postgres/leftovers.ts';
import { markOf } from '../../../src/platform/process/process-table.ts';
import { atEnd, makeTmpDir } from '../../support/command.ts';

async function markOfEnded(): Promise<string> {
  const sleep = spawn('sleep', ['600']);
  await once(sleep, 'spawn');
  const mark = markOf(sleep.pid as number);
  sleep.kill('SIGKILL');
  await once(sleep, 'exit');
  return mark;
}

test('only directories whose owner has certainly ended are removed', async () => {
  const place = makeTmpDir();
  const ended = await markOfEnded();
  const [pid, , began] = ended.split('-');
  const left = [`rowlock-${ended}-aB3xY9`, `unfinished-${ended}-aB3xY9`];
  const others = [
    `rowlock-${markOf(process.pid)}-aB3xY9`,
    `unfinished-${markOf(process.pid)}-aB3xY9`,
    // We cannot see the processes of another machine or container.
    `rowlock-${pid}-00000000-${began}-aB3xY9`,
    'rowlock-aB3xY9',
    'rowlock-bench-aB3xY9',
    `${ended}-aB3xY9`,
  ];
  for (const name of [...left, ...others])
    mkdirSync(path.join(place, name, 'data'), { recursive: true });
  writeFileSync(path.join(place, `rowlock-${ended}-afile0`), '');
  symlinkSync(path.join(place, 'rowlock-aB3xY9'), path.join(place, `rowlock-${ended}-alink0`));
  await clearLeftovers(place, undefined);
  const stay = [...others, `rowlock-${ended}-afile0`, `rowlock-${ended}-alink0`];
  expect(readdirSync(place).sort()).toEqual(stay.sort());
});

/**
 * Makes directories inside each other. Returns the innermost directory. One chain inside another
 * chain has a path that is longer than allowed.
 */
function makeDeep(directory: string): string {
  const innermost = path.join(directory, ...Array<string>(10).fill('x'.repeat(220)));
  mkdirSync(innermost, { recursive: true });
  return innermost;
}

test('if a leftover cannot be removed, the other leftovers are still removed', async () => {
  const place = makeTmpDir();
  const ended = await markOfEnded();
  const tooDeep = `rowlock-${ended}-000000`;
  const aside = path.join(place, 'aside');
  makeDeep(aside);
  const deepest = path.join(makeDeep(path.join(place, tooDeep)), 'y');
  mkdirSync(path.join(place, `rowlock-${ended}-aB3xY9`));
  renameSync(aside, deepest);
  atEnd(() => renameSync(deepest, aside));
  await clearLeftovers(place, undefined);
  expect(readdirSync(place)).toEqual([tooDeep]);
});
