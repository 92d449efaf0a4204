import { alone } from '../measure.ts';
import { INTAKE, measureBacklog } from '../queue/backlog.ts';
import { Crew } from '../queue/crew.ts';
import { installPeers } from '../queue/peers.ts';
import { toolNames } from '../queue/tool.ts';
import type { FiguresByName } from '../rounds.ts';
import type { Scenario } from '../stand.ts';

/** One process runs tasks, and the other process makes tasks. */
const PROCESSES = 2;

/** (j) Counts the waiting tasks of each queue while another session holds a transaction open. */
export const held: Scenario = async ({ arena, seconds, onProgress }) => {
  const come = INTAKE.toLocaleString('en');
  const peers = await installPeers(arena.stop, onProgress);
  const rounds: FiguresByName<string> = {};
  const notes = [`held: one run of ${seconds} s for each queue, ${come} tasks come in a second`];
  for (const name of toolNames) {
    onProgress(`held: ${name}, ${seconds} s`);
    const crew = await Crew.open(arena, peers, name, PROCESSES, `held_${name}`);
    const backlog = await measureBacklog(crew, seconds);
    crew.stop();
    rounds[name] = backlog.map((tasks) => ({ tasks }));
    notes.push(`held: ${name}, tasks that wait, after each tenth of the run: ${tenths(backlog)}`);
  }
  const most = (name: string) => Math.max(...(rounds[name] ?? []).map(({ tasks = 0 }) => tasks));
  return {
    rounds,
    measures: toolNames.map((name) =>
      alone(
        'most tasks that wait while a transaction is open',
        'tasks',
        { name, value: most(name) },
        // In a queue that keeps up, at most the tasks of one second wait.
        name === 'rowlock' ? { at: 'most', limit: INTAKE } : undefined,
      ),
    ),
    notes,
  };
};

const tenths = (backlog: number[]): string =>
  backlog.filter((_, at) => (at + 1) % Math.ceil(backlog.length / 10) === 0).join(' ');
