import type { BenchResult } from '../proof/bench/bench.ts';
import type { Measure } from '../proof/bench/measure.ts';
import { plainTable } from '../src/platform/process/plain-table.ts';
import { paint } from './paint.ts';

/**
 * Describes the measures as a table. Also names the machine and the settings, because the measures
 * depend on them.
 */
export function describeBench({
  machine,
  database,
  settings,
  measures,
  notes,
}: BenchResult): string {
  const head = ['scenario', 'what', 'of', '', 'against', '', 'unit', 'ratio', 'bar', ''];
  const table = plainTable(head, measures.map(row), [3, 5, 7]);
  const { rounds, seconds, connections, server } = settings;
  const lines = [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB; ${machine.system}; Node ${machine.node}`,
    `PostgreSQL ${list(database)}`,
    `Medians of ${rounds} rounds of ${seconds} s; ${connections} connections a crowd, no pipelining; servers with their defaults and ${list(server)}`,
    ...notes,
  ];
  return `${table}\n\n${lines.join('\n')}\n`;
}

const list = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

function row({ scenario, what, unit, of, value, against, bar }: BenchResult['measures'][number]) {
  return [
    scenario,
    what,
    of,
    figure(value, unit),
    against?.name ?? '',
    against ? figure(against.value, unit) : '',
    unit,
    against ? against.ratio.toFixed(2) : '',
    bar ? `at ${bar.at} ${bar.limit}` : '',
    bar ? verdict(bar.reached) : '',
  ];
}

const figure = (value: number, unit: Measure['unit']): string =>
  unit === 'ms' ? value.toFixed(2) : Math.round(value).toLocaleString('en');

const verdict = (reached: boolean): string =>
  reached ? paint('green', 'ok') : paint('red', 'short');
