import { beforeAll, expect, test } from 'vitest';
import { inProject } from '../../../src/process/project.ts';
import { makeService } from '../../support/app.ts';
import { makeDatabase } from '../../support/database.ts';

const NAIVE = inProject('test/lab/programs/functions/naive.mjs');
let url: string;
beforeAll(async () => {
  const own = { program: { module: NAIVE }, chapter: 'claims' };
  ({ url } = await makeService(await makeDatabase(), { own }));
});

async function play(schedule: string[]) {
  const body = JSON.stringify({ strategy: 'claims/yours', schedule });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/lab/plays`, { method: 'POST', headers, body });
  return answer.json();
}

// test/slow/lab/own has programs that die or hang, and the page.
test('a person steps a program with a driver of its own, and oversells as with naive', async () => {
  for (const s of [[], ['1'], ['1','2'], ['1', '2', '1', '2', '1', '2']]) {
  const t = performance.now();
  const x = await play(s);
  console.log(performance.now() - t, JSON.stringify(x, null, 1).slice(0, 3000));
  }
}, 60_000);
