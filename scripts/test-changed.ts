import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { flag, runCommand, whole } from '../src/platform/process/command.ts';
import { PlainError, UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { inProject } from '../src/platform/process/project.ts';
import { type Campaign, campaignsFor } from './campaigns.ts';

const command = {
  name: 'test:changed',
  purpose: 'Runs the campaigns of the rooms that the last commits changed, one after the other.',
  options: {
    since: {
      value: 'COMMIT',
      type: z.string().min(1, 'needs a commit'),
      words: 'the commits after this one',
      usual:
        'the commits that origin/main does not have; if it has all of them, the commits of the 24 hours before the last commit',
    },
    minutes: {
      ...whole(1, 600),
      default: 15,
      words: 'how long all campaigns together may take',
    },
    list: flag('show the campaigns, and run none'),
  },
  notes: `Files that are not committed yet count as changed. Short campaigns run first. A campaign that
does not fit into the time is not begun. A campaign that still runs at the end of the time is cut
off. It has failed if it took more than four times its usual time. The last lines name the campaigns
without a result, and why campaigns failed.

Exit code: 0 if no campaign failed, 1 if a campaign failed.`,
};

const DAY_S = 24 * 60 * 60;
/** The maximum time for the end of vitest and of the programs that its tests have started. */
const STOP_MS = 10_000;
const CHECK_MS = 100;

/** The output for a failure is short, because a CI service keeps only the last lines. */
const MOST_ERRORS = 10;
const LINES_OF_ERROR = 3;
const LINES_OF_STDERR = 30;
const MOST_CHARACTERS = 200;

/** The result of a campaign that was started. */
interface Outcome {
  kind: 'passed' | 'cut' | 'failed';
  minutes: number;
  /** The lines that say why the campaign failed. */
  why: string[];
}

const WORDS = {
  passed: 'passed in',
  cut: 'cut off at the end of the time, after',
  failed: 'failed in',
} as const;

runCommand(command, async (options, stop) => {
  const since = options.since === undefined ? findBase() : checked(options.since);
  const chosen = campaignsFor(changedSince(since));
  print(`Campaigns of the files that changed since ${since.slice(0, 12)}:\n${listed(chosen)}`);
  return options.list ? 0 : runAll(chosen, options.minutes * 60_000, stop);
});

/** Runs the campaigns within the time. Returns the exit code. */
async function runAll(chosen: Campaign[], limitMs: number, stop: AbortSignal): Promise<number> {
  const end = Date.now() + limitMs;
  const outcomes = new Map<Campaign, Outcome>();
  for (const campaign of chosen) {
    if (Date.now() + campaign.minutes * 60_000 > end) continue;
    outcomes.set(campaign, await run(campaign, end, stop));
    stop.throwIfAborted();
  }
  const kinds = ['passed', 'cut', 'failed'] as const;
  const [passed, cut, failed] = kinds.map((kind) => described(outcomes, kind));
  const without = chosen.filter((each) => !outcomes.has(each));
  print(`${passed}${cut}`);
  if (without.length > 0) print(`No time was left for these campaigns:\n${listed(without)}`);
  if (failed) print(failed);
  return failed ? 1 : 0;
}

function described(outcomes: Map<Campaign, Outcome>, wanted: Outcome['kind']): string {
  const lines = [...outcomes].map(([{ file }, { kind, minutes, why }]) =>
    kind === wanted
      ? [`${file}: ${WORDS[kind]} ${minutes.toFixed(1)} min`, ...why.map((line) => `  ${line}`), '']
      : [],
  );
  return lines.map((each) => each.join('\n')).join('');
}

/**
 * A campaign hangs if it takes more than four times its usual time. Slow machines need up to three
 * times the usual time.
 */
const MOST_SLOWER = 4;

/** Runs a campaign. Cuts the campaign off at the end of the time. */
async function run(campaign: Campaign, end: number, stop: AbortSignal): Promise<Outcome> {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'rowlock-campaign-'));
  const report = path.join(folder, 'report.json');
  try {
    const began = Date.now();
    const { isCut, code, stderr } = await runVitest(campaign.file, report, end, stop);
    const minutes = (Date.now() - began) / 60_000;
    if (isCut && minutes <= MOST_SLOWER * campaign.minutes)
      return { kind: 'cut', minutes, why: [] };
    if (!isCut && code === 0) return { kind: 'passed', minutes, why: [] };
    const hung = `It did not end by itself. It usually takes about ${campaign.minutes} min.`;
    return { kind: 'failed', minutes, why: isCut ? [hung] : reasonsIn(report, stderr) };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function runVitest(file: string, report: string, end: number, stop: AbortSignal) {
  const timeouts = ['--testTimeout', '240000', '--hookTimeout', '240000'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['run', file, '--isolate', ...timeouts, ...reporters];
  const vitest = spawn(process.execPath, [inProject('node_modules/vitest/vitest.mjs'), ...args], {
    cwd: inProject('.'),
    // Starts a new process group, so that we can end the whole group. If only vitest ended, the
    // programs of its tests would keep running.
    detached: true,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let stderr = '';
  vitest.stderr.pipe(process.stderr, { end: false });
  vitest.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-LINES_OF_STDERR * MOST_CHARACTERS);
  });
  const closed = once(vitest.stderr, 'close');
  const ended = once(vitest, 'exit');
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(), end - Date.now());
  const onStop = () => cut.abort();
  stop.addEventListener('abort', onStop);
  await Promise.race([ended, once(cut.signal, 'abort')]);
  clearTimeout(timer);
  stop.removeEventListener('abort', onStop);
  const isCut = cut.signal.aborted;
  if (isCut) await endGroup(vitest);
  const [code] = await ended;
  // A program that still runs after its test may keep stderr open, so this wait has a limit.
  await Promise.race([closed, sleep(STOP_MS)]);
  return { isCut, code, stderr };
}

/** The part of vitest's report that names failures. */
interface Report {
  testResults: {
    /** The error of the whole file. Empty if there is no such error. */
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/**
 * Returns lines with the failed tests and their errors. If the report has no errors, returns the
 * last lines of stderr. Errors in hooks or outside of all tests may be missing from the report.
 */
function reasonsIn(report: string, stderr: string): string[] {
  const { testResults }: Report = fs.existsSync(report)
    ? JSON.parse(fs.readFileSync(report, 'utf8'))
    : { testResults: [] };
  const errors = testResults.flatMap(({ message, assertionResults }) => [
    ...(message ? [{ name: 'outside of the tests', message }] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages: [message = ''] }) => ({ name: fullName.trim(), message })),
  ]);
  if (errors.length === 0) return linesOf(stderr).slice(-LINES_OF_STDERR);
  const more = errors.length - MOST_ERRORS;
  return [
    ...errors
      .slice(0, MOST_ERRORS)
      .flatMap(({ name, message }) => [
        `failed: ${name}`,
        ...linesOf(message, LINES_OF_ERROR).map((line) => `  ${line}`),
      ]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

const linesOf = (text: string, limit?: number): string[] =>
  stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim())
    .slice(0, limit)
    .map((line) => line.slice(0, MOST_CHARACTERS));

/** Ends all processes of the group. Kills the processes that do not end in time. */
async function endGroup(leader: ChildProcess) {
  const deadline = Date.now() + STOP_MS;
  let isThere = signalGroup(leader, 'SIGTERM');
  while (isThere && Date.now() < deadline) {
    await sleep(CHECK_MS);
    isThere = signalGroup(leader, 0);
  }
  if (isThere) signalGroup(leader, 'SIGKILL');
}

/** Sends a signal to the group. Returns whether the group has a process. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  // A signal to the group 0 would reach this process.
  if (!pid) throw new Error('vitest has no process id');
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function listed(chosen: Campaign[]): string {
  const lines = chosen.map(({ file, minutes }) => `  ${file} (about ${minutes} min)\n`);
  return lines.join('') || '  none\n';
}

/**
 * Returns the newest commit that origin/main has too. If this commit is HEAD, no commit marks the
 * beginning of the last change. In this case, returns the newest commit that is a day older than
 * HEAD.
 */
function findBase(): string {
  const head = git('rev-parse', 'HEAD');
  const ours = tryGit('merge-base', 'HEAD', 'origin/main');
  if (ours && ours !== head) return ours;
  const dayBefore = Number(git('log', '-1', '--format=%ct')) - DAY_S;
  const before = tryGit('rev-list', '-1', `--before=${dayBefore}`, 'HEAD');
  return before || tryGit('rev-parse', 'HEAD~1') || head;
}

/** Returns the name of a commit. Throws a `UsageError` if git does not know the commit. */
function checked(name: string): string {
  if (tryGit('rev-parse', '--verify', '--quiet', `${name}^{commit}`)) return name;
  throw new UsageError(`--since: there is no commit ${name}. See: npm run test:changed -- --help`);
}

function changedSince(commit: string): string[] {
  const tracked = git('diff', '--name-only', '--no-renames', commit);
  const untracked = git('ls-files', '--others', '--exclude-standard');
  return [...tracked.split('\n'), ...untracked.split('\n')].filter(Boolean);
}

function git(...args: string[]): string {
  try {
    const options = { cwd: inProject('.'), encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', args, options).trim();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new PlainError(`git ${args[0]} has failed: ${(stderr || message).trim().split('\n')[0]}`);
  }
}

function tryGit(...args: string[]): string | undefined {
  try {
    return git(...args);
  } catch {
    return undefined;
  }
}
