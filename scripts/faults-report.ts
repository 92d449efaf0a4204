import type { ScenarioResult } from '../proof/faults/play.ts';
import { plainTable } from '../src/platform/process/plain-table.ts';
import { paint } from './paint.ts';

/** The number of findings of each scenario that are printed. --json prints all findings. */
const FINDINGS_SHOWN = 20;

export const describeSkipped = (scenario: string, why: string): string =>
  `SKIPPED: ${scenario}, since ${why}.\n`;

export function describeFaults(results: ScenarioResult[]): string {
  const lines = [
    describeCounts(results),
    ...results.flatMap(describeEvents),
    ...results.flatMap(describeWorkers),
    ...results.flatMap(describeFindings),
    '',
    verdict(results),
  ];
  return `${lines.join('\n')}\n`;
}

function describeCounts(results: ScenarioResult[]): string {
  const head = [
    'scenario',
    'seconds',
    'requests',
    'granted',
    'refused',
    'not done',
    'lost',
    'kills',
    'restarts',
    'back after',
    'memory',
    'broken',
  ];
  const rows = results.map(({ scenario, seconds, requests, answers, ...rest }) => {
    const { kills, restarts, answeredAgainMs = [], memory, findings } = rest;
    const sum = (which: RegExp) =>
      Object.entries(answers).reduce((all, [name, n]) => (which.test(name) ? all + n : all), 0);
    const slowest = answeredAgainMs.length ? `${Math.max(...answeredAgainMs)} ms` : '';
    const grown = memory && `${Math.round(memory.halfMb)} → ${Math.round(memory.endMb)} MB`;
    const broken = paint(findings.length ? 'red' : 'green', String(findings.length));
    return [
      scenario,
      seconds.toFixed(1),
      requests,
      sum(/^2/),
      sum(/^4/),
      sum(/^(503 (?!outcome)|refused)/),
      sum(/^(503 outcome|broken)/),
      kills ?? '',
      restarts ?? '',
      slowest,
      grown ?? '',
      broken,
    ];
  });
  return plainTable(head, rows, head.map((_, column) => column).slice(1));
}

function describeEvents({ scenario, events = [] }: ScenarioResult): string[] {
  const names = [...new Set(events.map(({ event }) => event))];
  const times = (name: string) =>
    events
      .filter(({ event }) => event === name)
      .map(({ withoutClaimMs }) => `${(withoutClaimMs / 1000).toFixed(1)} s`);
  const lines = names.map((name) => `  ${name}: ${times(name).join(', ')}`);
  return names.length === 0 ? [] : ['', `${scenario}: without a claim for`, ...lines];
}

function describeWorkers({ scenario, workers }: ScenarioResult): string[] {
  if (workers === undefined) return [];
  const { tasks, arrivals, lost, faults } = workers;
  const made = Object.entries(faults).map(([fault, times]) => `${fault} ${times}`);
  return [
    '',
    `${scenario}: ${tasks} tasks, ${arrivals} arrivals, ${lost} lost attempts`,
    `  ${made.join(', ')}`,
  ];
}

function describeFindings({ scenario, findings }: ScenarioResult): string[] {
  if (findings.length === 0) return [];
  const shown = findings.slice(0, FINDINGS_SHOWN);
  const left = findings.length - shown.length;
  return [
    '',
    paint('red', `${scenario}: broken`),
    ...shown.map(({ promise, what }) => `  ${promise}: ${what}`),
    ...(left > 0 ? [`  … and ${left} more`] : []),
  ];
}

function verdict(results: ScenarioResult[]): string {
  if (results.length === 0) return paint('red', 'Verdict: nothing was played.');
  const broken = results.filter(({ findings }) => findings.length > 0);
  if (broken.length === 0) return paint('green', 'Verdict: every promise was kept.');
  return paint(
    'red',
    `Verdict: BROKEN under ${broken.map(({ scenario }) => scenario).join(', ')}.`,
  );
}
