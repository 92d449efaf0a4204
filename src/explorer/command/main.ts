#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isOnGitHub } from '../../platform/process/environment.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { runMain } from '../../platform/process/main.ts';
import { print } from '../../platform/process/print.ts';
import { clearProgress, showProgress } from '../../platform/process/progress.ts';
import { version } from '../../platform/process/project.ts';
import { nameOf, replayFor } from '../package/explore.ts';
import { lineOf } from '../package/message.ts';
import { assertAddress } from '../package/order.ts';
import type { Exploring } from '../package/types.ts';
import { type Definition, readDefinitions } from './definitions.ts';
import { type Check, examine } from './doctor.ts';
import { writeExample } from './init.ts';
import { annotationsOf, htmlOf, junitOf } from './report.ts';
import { EXIT, exitCodeOf, type Result, resultOf, tellResult } from './results.ts';

const HELP = `Plays the orders of your transactions on a real PostgreSQL.

Usage: rowlock-explorer init [FOLDER]
       rowlock-explorer doctor [--database ADDRESS]
       rowlock-explorer explore FILE... [options]
       rowlock-explorer replay FILE... [--database ADDRESS]
       rowlock-explorer report FILE... --html OUT [options]

  init       writes an example with a race
  doctor     tells whether the server is there, and what the account may do
  explore    plays all orders, and shows one that breaks the rule
  replay     plays only the schedules that earlier runs have kept
  report     explores, and writes one HTML file

Each FILE exports by default { setUp, sessions, holds }, or an array of them.

  --first            end at the first schedule that breaks the rule
  --schedules N      the maximum number of schedules (default: that of the file, or 500)
  --seconds N        no further schedule begins after this time (default: that of the file, or 60)
  --lanes N          play N schedules at the same time (default: that of the file, or 1)
  --database ADDRESS a PostgreSQL server (default: that of the file, or the embedded server)
  --html OUT         write the results as one HTML file
  --junit OUT        write the results as JUnit XML
  --version          show the version
  --help             show this

Exit codes: 0 every order held, 1 an order broke the rule, 2 could not run, 4 ended by a limit.
`;

const number = { type: 'string' } as const;
const OPTIONS = {
  first: { type: 'boolean' },
  schedules: number,
  seconds: number,
  lanes: number,
  database: { type: 'string' },
  html: { type: 'string' },
  junit: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message.split('. ')[0]}. See: rowlock-explorer --help`,
    );
  }
}

type Given = ReturnType<typeof readArguments>['values'];

const printLines = (lines: readonly string[]) => print(`${lines.join('\n')}\n`);

/** A good check with advice is good enough, but not the best. */
const markOf = ({ isGood, advice }: Check): string => {
  if (!isGood) return '✗';
  return advice ? '!' : '✓';
};

async function doctor(address: string | undefined): Promise<number> {
  if (address !== undefined) assertAddress(address);
  const checks = await examine(address);
  for (const check of checks)
    printLines([`${markOf(check)} ${check.words}`, ...(check.advice ? [`  ${check.advice}`] : [])]);
  return checks.every(({ isGood }) => isGood) ? EXIT.held : EXIT.couldNotRun;
}

function report(files: string[], values: Given, stop: AbortSignal): Promise<number> {
  if (values.html === undefined && values.junit === undefined)
    throw new UsageError('report needs --html OUT or --junit OUT.');
  return exploreAll(files, values, stop);
}

async function exploreAll(files: string[], values: Given, stop: AbortSignal): Promise<number> {
  const definitions = await readDefinitions(files);
  const results: Result[] = [];
  for (const definition of definitions) {
    const result = await resultOf(definition, orderOf(values, definition, stop));
    clearProgress();
    print(tellResult(result));
    results.push(result);
  }
  if (values.html !== undefined) writeFileSync(values.html, htmlOf(results));
  if (values.junit !== undefined) writeFileSync(values.junit, junitOf(results));
  const annotations = isOnGitHub() ? annotationsOf(results) : [];
  if (annotations.length > 0) printLines(annotations);
  return exitCodeOf(results);
}

function orderOf(values: Given, { order }: Definition, signal: AbortSignal): Partial<Exploring> {
  const schedules = countOf('schedules', values.schedules);
  const seconds = countOf('seconds', values.seconds);
  const lanes = countOf('lanes', values.lanes);
  return {
    signal,
    counts: values.first !== true,
    most: { ...(schedules && { schedules }), ...(seconds && { seconds }) },
    ...(lanes && { lanes }),
    ...(values.database !== undefined && { database: values.database }),
    onSchedule: (count) => showProgress(`${nameOf(order)}: schedule ${count}`),
  };
}

function countOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} needs a whole number from 1.`);
}

/** Plays the kept schedules, and tells the result of each. */
async function replayAll(files: string[], { database }: Given, signal: AbortSignal) {
  const codes = new Set<number>();
  for (const { file, order } of await readDefinitions(files)) {
    const given = { ...order, signal, ...(database !== undefined && { database }) };
    const again = await replayFor({ file, line: 1 }, given);
    const name = nameOf(order);
    if (!again) {
      printLines([
        `${name}: nothing was replayed. A schedule is kept when \`explore\` finds one that breaks the rule.`,
      ]);
    } else if ('differs' in again) {
      codes.add(EXIT.couldNotRun);
      printLines([`${name}: the schedule no longer fits: ${again.differs}.`]);
    } else if (again.violation) {
      codes.add(EXIT.broken);
      printLines([`${name}: ${again.violation.rule}`, '', again.violation.transcript]);
    } else {
      codes.add(EXIT.held);
      printLines([`${name}: the rule holds in the kept schedule.`]);
    }
  }
  const code = [EXIT.broken, EXIT.couldNotRun, EXIT.held].find((each) => codes.has(each));
  // Without any kept schedule, nothing was replayed.
  return code ?? EXIT.couldNotRun;
}

// An error that nobody awaits is no broken rule.
for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (error) => {
    print(`A session failed outside of its function: ${lineOf(error)}\n`, process.stderr);
    process.exit(EXIT.couldNotRun);
  });

runMain(async (stop) => {
  const { values, positionals } = readArguments();
  const [command, ...files] = positionals;
  if (values.version) print(`${version}\n`);
  else if (values.help || command === undefined) print(HELP);
  else if (command === 'init') printLines(writeExample(files[0] ?? '.'));
  else if (command === 'doctor') return doctor(values.database);
  else if (command === 'explore') return exploreAll(files, values, stop);
  else if (command === 'replay') return replayAll(files, values, stop);
  else if (command === 'report') return report(files, values, stop);
  else throw new UsageError(`There is no command ${command}. See: rowlock-explorer --help`);
  return EXIT.held;
}, EXIT.couldNotRun);
