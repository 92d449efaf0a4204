import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { clearLeftovers } from '../../src/db/leftovers.ts';
import { markOf } from '../../src/process-table.ts';
import { makeTmpDir } from '../support/command.ts';

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
    // Of another container, whose processes nobody sees from here.
    `rowlock-${pid}-1-${began}-aB3xY9`,
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
