import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { drizzleDatabases } from '../../src/explorer/databases.ts';
import { Divergence } from '../../src/explorer/forks.ts';
import { Unplayable } from '../../src/explorer/gatekeeper.ts';
import { Stage } from '../../src/explorer/stage.ts';
import { Hang } from '../../src/explorer/stillness.ts';
import { explain } from '../../src/lab/judge/explain.ts';
import { faultOfFile } from '../../src/lab/judge/fault-of-file.ts';
import { type Check, judge } from '../../src/lab/judge/judge.ts';
import { loadStrategy } from '../../src/lab/judge/load-strategy.ts';
import { UsageError } from '../../src/platform/process/errors.ts';
import { type Damaged, filesOf, nameOfMutant } from './subjects.ts';

/** The result of judging one mutant. */
export interface Tried {
  mutant: Damaged;
  /**
   * `caught`: a schedule breaks a rule. `broken`: the code itself throws an error, so anybody would
   * notice. `remarked`: the judge remarks on an answer. `survived`: every rule holds.
   */
  result: 'caught' | 'broken' | 'remarked' | 'survived';
  /** The situation and the fault that caught the mutant, or the error or the remark. */
  by: string;
  milliseconds: number;
}

interface TryOptions {
  stop: AbortSignal;
  /** How long a mutant is judged at most. Undefined if the mutant is judged to the end. */
  mostMs(mutant: Damaged): number | undefined;
  onTried: (tried: Tried, count: number) => void;
}

/** Judges all mutants. In each database, one mutant is judged at a time. */
export async function tryMutants(
  mutants: readonly Damaged[],
  urls: readonly string[],
  options: TryOptions,
): Promise<Tried[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rowlock-mutants-'));
  const waiting = [...mutants.entries()];
  const tried: Tried[] = [];
  const work = async (url: string) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [number, mutant] = next;
      // A mutant may break its connections, so the next mutant gets a new stage.
      const stage = new Stage(url, drizzleDatabases());
      try {
        const result = await tryMutant(mutant, stage, path.join(folder, `${number}`), options);
        tried.push(result);
        options.onTried(result, tried.length);
      } finally {
        await stage.close();
      }
    }
  };
  const endsAll = (error: unknown) => {
    waiting.splice(0);
    throw error;
  };
  const ends = await Promise.allSettled(urls.map((url) => work(url).catch(endsAll)));
  rmSync(folder, { recursive: true, force: true });
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return tried;
}

class TimeIsUp extends Error {}

/**
 * Whether the code of the mutant is the reason for the error. The code does not load, cannot be
 * played, or gives the driver an undefined value.
 */
function isOfMutant(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'UNDEFINED_VALUE') return true;
  const isKnown = [UsageError, Unplayable, Divergence, Hang].some((kind) => error instanceof kind);
  return isKnown || isOfMutant(error.cause);
}

async function tryMutant(
  mutant: Damaged,
  stage: Stage,
  folder: string,
  { stop, mostMs }: TryOptions,
): Promise<Tried> {
  const begin = performance.now();
  const endsAt = begin + (mostMs(mutant) ?? Number.POSITIVE_INFINITY);
  const onStep = () => {
    stop.throwIfAborted();
    if (performance.now() > endsAt) throw new TimeIsUp();
  };
  const verdict = await judgeIn(folder, mutant, stage, onStep).catch((error: unknown) => {
    if (error instanceof TimeIsUp) return { result: 'survived', by: '' } as const;
    stop.throwIfAborted();
    if (!isOfMutant(error)) throw new Error(nameOfMutant(mutant), { cause: error });
    return { result: 'broken', by: explain(error, path.join(folder, 'mutant.ts')) } as const;
  });
  return { mutant, ...verdict, milliseconds: performance.now() - begin };
}

async function judgeIn(
  folder: string,
  mutant: Damaged,
  stage: Stage,
  onStep: () => void,
): Promise<Pick<Tried, 'result' | 'by'>> {
  mkdirSync(folder);
  for (const [name, text] of filesOf(mutant)) writeFileSync(path.join(folder, name), text);
  const file = path.join(folder, 'mutant.ts');
  const { chapter } = mutant.subject;
  const { strategy } = await loadStrategy(chapter, file);
  const { checks, error, remarks } = await judge(
    [stage],
    { chapter, strategy },
    {
      onStep,
      explain: (played) => faultOfFile(played, file),
      endsAtFirst: true,
    },
  );
  const fallen = checks.find(({ holds }) => !holds);
  if (fallen && error) return { result: 'broken', by: error };
  if (fallen) return { result: 'caught', by: nameOfCheck(fallen) };
  const [remark] = remarks;
  return remark ? { result: 'remarked', by: remark } : { result: 'survived', by: '' };
}

const nameOfCheck = ({ situation, fault }: Check): string => `${fault} in ${situation ?? 'crowd'}`;
