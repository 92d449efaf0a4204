import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { SyllabusEntry } from '../../src/lab/syllabus/syllabus.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeService } from './app.ts';
import { makeTmpDir } from './command.ts';
import { makeDatabase } from './database.ts';

/** The address of a student's own file among the strategies. */
export const YOURS = 'claims/yours';

const judged = (name: string) => inProject(path.join('test/lab/judge/judged', name));

/** Starts a lab with a student's own file, which is `wrong-naive.ts` at first. */
export async function makeOwnLab() {
  const file = path.join(makeTmpDir(), 'my.ts');
  copyFileSync(judged('wrong-naive.ts'), file);
  const { url } = await makeService(await makeDatabase(), { own: { file, chapter: 'claims' } });

  async function entry(): Promise<SyllabusEntry> {
    const list = (await (await fetch(`${url}/lab/strategies`)).json()) as SyllabusEntry[];
    return list.at(-1) as SyllabusEntry;
  }

  /** Saves the file, waits until it was loaded or refused, and returns what is wrong with it. */
  async function save(text: string): Promise<string | null> {
    const leaving = new AbortController();
    const { body } = await fetch(`${url}/lab/own`, { signal: leaving.signal });
    writeFileSync(file, text);
    let said = '';
    for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
      said += Buffer.from(piece).toString();
      if (said.includes('event: saved')) break;
    }
    leaving.abort();
    return (await entry()).missing;
  }

  const saveJudged = (name: string) => save(readFileSync(judged(name), 'utf8'));

  async function play(schedule: string[], strategy = YOURS) {
    const body = JSON.stringify({ strategy, schedule });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/lab/plays`, { method: 'POST', headers, body });
    return {
      status: answer.status,
      ...((await answer.json()) as { verdict?: string; detail?: string }),
    };
  }

  async function eventsOf(address: string, init?: RequestInit): Promise<string> {
    return (await fetch(`${url}/lab/${address}`, init)).text();
  }

  const race = (strategies: string[]) =>
    eventsOf('rounds', { method: 'POST', body: JSON.stringify({ strategies, rounds: 20 }) });

  /**
   * Asserts that other strategies still answer, and that the file works after the next good save.
   */
  async function expectLife() {
    expect((await play(['1'], 'claims/row-lock')).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await saveJudged('right-row-lock.ts')).toBe(null);
    expect((await play(['1'])).status).toBe(200);
  }

  return { url, file, entry, save, saveJudged, play, eventsOf, race, expectLife };
}
