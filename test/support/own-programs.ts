import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import type { Own } from '../../src/lab/own/own.ts';
import type { PlayState } from '../../src/lab/play/play.ts';
import type { SyllabusEntry } from '../../src/lab/syllabus/syllabus.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { until } from '../../src/platform/waiting/until.ts';
import { makeService } from './app.ts';
import { isRunning, makeDataDir, makeTmpDir, runServer } from './command.ts';
import { makeDatabase } from './database.ts';
import { urlOf } from './server.ts';

export const fixture = (name: string) => inProject(path.join('test/lab/programs/functions', name));
export const NAIVE = fixture('naive.mjs');
export const YOURS = 'claims/yours';
export const OVERSOLD = ['1', '2', '1', '2', '1', '2'];
export const PATIENCE = { timeout: 60_000, interval: 50 };

export const SCHEMA = `
  create table jobs (id int primary key, capacity int);
  create table job_claims (
    job_id int references jobs (id), recruiter_id int, primary key (job_id, recruiter_id)
  );
  insert into jobs values (1, 1);`;
export const INVARIANT = 'select job_id from job_claims group by job_id having count(*) > 1';

/**
 * Starts a service that shows this program. Returns functions that send requests to the service.
 */
export async function show(program: Extract<Own, { program: unknown }>['program']) {
  const own = { program, chapter: 'claims' };
  const { url, stop } = await makeService(await makeDatabase(), { own });
  return { url, stop, ...asking(url) };
}

/** Does the same as `show`, but stops the service after this test, so that few programs run. */
export async function showHere(program: Parameters<typeof show>[0]) {
  const lab = await show(program);
  onTestFinished(() => lab.stop());
  return lab;
}

export function asking(url: string) {
  const get = async (address: string) => (await fetch(`${url}/lab/${address}`)).text();
  const send = (address: string, body: unknown) =>
    fetch(`${url}/lab/${address}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const play = async (schedule: string[], strategy = YOURS) => {
    const answer = await send('plays', { strategy, schedule });
    const body = (await answer.json()) as Partial<PlayState> & { detail?: string };
    return { status: answer.status, ...body };
  };
  const entry = async () => (JSON.parse(await get('strategies')) as SyllabusEntry[]).at(-1);
  return { get, send, play, entry };
}

/** Writes a file with this text into a new folder. Returns the path of the file. */
export function fileWith(name: string, text: string): string {
  const file = path.join(makeTmpDir(), name);
  writeFileSync(file, text);
  return file;
}

/** Returns a command that runs this code of Node.js. `pids` returns the ids of its processes. */
export function command(code: string) {
  const pids = fileWith('pids', '');
  const file = fileWith('program.cjs', code);
  return {
    server: `echo $$ >> ${pids}; exec node ${file}`,
    pids: () => readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number),
  };
}

export const SILENT = `require('node:http').createServer(() => {}).listen(process.env.PORT, '127.0.0.1');`;

export const allEnd = (pids: number[]) =>
  until(() => !pids.some(isRunning), { everyMs: 20, withinMs: 10_000 });

/** Asserts that other strategies still answer, and that the service is ready. */
export async function expectLife({ url, play }: Awaited<ReturnType<typeof show>>) {
  expect((await play(['1'], 'claims/row-lock')).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
}

export const headline = (page: Page, text: string) =>
  page.locator('.headline').getByText(text).waitFor();
export const press = async (page: Page, keys: string) => {
  await page
    .getByRole('region', { name: 'S1' })
    .getByText(/^select capacity/)
    .waitFor();
  for (const key of keys) await page.keyboard.press(key);
};

/** Ends a server that shows a program. Asserts that no copy of the program remains. */
export async function expectNoCopy(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') {
  const { server, pids } = command(
    SILENT.replace('() => {}', "(_, answer) => answer.writeHead(403).end('full')"),
  );
  // On a shared PostgreSQL, a killed server would leave a database behind.
  const place: Record<string, string> =
    signal === 'SIGKILL'
      ? { DATA_DIR: makeDataDir() }
      : { DATABASE_URL: inject('scratchUrl'), LAB: 'on' };
  const started = runServer({ ...place, WORKERS: '0' }, ['--server', server]);
  const url = await urlOf(started);
  expect((await asking(url).play(['1'])).status).toBe(200);
  expect(pids()).toHaveLength(3);
  started.child.kill(signal);
  await started.ended;
  expect(await allEnd(pids())).toBe(true);
}
