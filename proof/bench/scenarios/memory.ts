import { memoryOf, tellsMemory } from '../../../src/platform/process/process-memory.ts';
import { alone, type Measure } from '../measure.ts';
import type { Side } from '../processes.ts';
import type { Figures } from '../rounds.ts';
import { clearClaims, withConnection } from '../seed.ts';
import type { Scenario, Stand } from '../stand.ts';
import { HOT_JOB } from './scenarios.ts';

const WAITING = 10_000;
const LIMIT_MB = 300;

/** Measures the peak memory of a server while very many requests wait for one locked job. */
export const memory: Scenario = async (stand) => {
  if (!tellsMemory())
    return { measures: [], rounds: {}, notes: ['memory is measured on Linux only'] };
  const measures: Measure[] = [];
  const notes: string[] = [];
  const rounds: Record<string, Figures[]> = {};
  for (const side of ['textbook', 'group'] as const) {
    stand.onProgress(`memory: ${side}`);
    const { peakMb, idleMb, waitedMs, statuses } = await crowdAtHeldJob(stand, side);
    const bar = { at: 'most', limit: LIMIT_MB } as const;
    const what = `memory with ${WAITING.toLocaleString('en')} requests on a held job`;
    measures.push(
      alone(what, 'MB', { name: side, value: peakMb }, side === 'group' ? bar : undefined),
    );
    rounds[side] = [{ peakMb, idleMb, waitedMs }];
    notes.push(
      `memory, ${side}: ${Math.round(idleMb)} MB before; the answers were ` +
        `${JSON.stringify(statuses)}, half of them within ${Math.round(waitedMs)} ms`,
    );
  }
  return { measures, rounds, notes };
};

/**
 * Lets a crowd wait for a locked job at a new server. Because the server is new, only this crowd
 * causes the peak memory.
 */
async function crowdAtHeldJob({ arena, textbook, group }: Stand, side: Side) {
  const { url } = side === 'textbook' ? textbook : group;
  await clearClaims(url);
  const { origin, pid, stop } = await arena.startServer(side, url);
  const idleMb = memoryOf(pid, 'VmRSS');
  const asks = { kind: 'one-job', jobId: HOT_JOB } as const;
  const order = { origins: [origin], seconds: 0, crowds: [{ asks, connections: WAITING }] };
  const [heard] = await whileHeld(url, () => arena.makeLoad(order));
  const peakMb = memoryOf(pid, 'VmHWM');
  await stop();
  return { peakMb, idleMb, waitedMs: heard?.p50 ?? 0, statuses: heard?.statuses };
}

/** Runs work while another session holds the lock of the hot job. */
const whileHeld = <T>(url: string, work: () => Promise<T>): Promise<T> =>
  withConnection(
    url,
    (sql) =>
      sql.begin(async (tx) => {
        await tx`SELECT id FROM jobs WHERE id = ${HOT_JOB} FOR UPDATE`;
        return work();
      }) as Promise<T>,
  );
