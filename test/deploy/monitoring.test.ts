import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { makeService } from '../support/app.ts';
import { makeTmpDir } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { programFile } from '../support/program.ts';

const folder = inProject('deploy/prometheus');
const alerts = readFileSync(path.join(folder, 'alerts.yml'), 'utf8');
const dashboard = JSON.parse(readFileSync(inProject('deploy/grafana/rowlock.json'), 'utf8'));

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
  targets?: { refId: string; expr: string }[];
}
const panels: Panel[] = dashboard.panels;

/** Returns the names of our metrics in a text. */
const metricsIn = (text: string): string[] =>
  [...text.matchAll(/\b(rowlock|process|nodejs)_\w+/g)].map(([name]) => name);

describe('promtool', { tags: ['promtool'] }, () => {
  const check = (...args: string[]) =>
    execFileSync(programFile('promtool'), args, { cwd: folder, encoding: 'utf8' });

  test('accepts the alert rules, and the tests of the rules pass', () => {
    expect(check('check', 'rules', 'alerts.yml')).toMatch(/SUCCESS: \d+ rules found/);
    expect(check('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
    expect(check('check', 'config', '--syntax-only', 'prometheus.yml')).toContain('SUCCESS');
  });

  test('accepts every query of the dashboard', () => {
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(20);
    const rules = queries.map((expr, at) => ({
      record: `q:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = path.join(makeTmpDir(), 'queries.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(check('check', 'rules', file)).toContain('SUCCESS');
  });
});

test('the dashboard has the fields that Grafana needs, and no panels overlap', () => {
  expect(dashboard).toMatchObject({ title: 'Rowlock', uid: 'rowlock', schemaVersion: 39 });
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Set<string>();
  for (const { title, type, gridPos, targets } of panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`), title).toBe(false);
        taken.add(`${x} ${y}`);
      }
    expect(type === 'row' || (targets ?? []).length > 0, title).toBe(true);
  }
});

describe('/metrics', () => {
  let text: string;
  beforeAll(async () => {
    const { url } = await makeService(await makeDatabase(), { lab: false, places: 4 });
    await fetch(`${url}/claim-job?jobId=1&recruiterId=1`);
    text = await (await fetch(`${url}/metrics`)).text();
  });

  const named = [...new Set([...metricsIn(alerts), ...metricsIn(JSON.stringify(dashboard))])];
  test.each(named)('has the metric %s, which an alert or the dashboard queries', (name) => {
    const family = name.replace(/_(bucket|count|sum)$/, '');
    expect(text).toMatch(new RegExp(`^# TYPE (${name}|${family}) `, 'm'));
  });
});
