import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inProject } from '../src/platform/process/project.ts';

export interface Campaign {
  file: string;
  /** The minutes that the campaign takes on two idle cores, rounded up. */
  minutes: number;
  /**
   * The files and folders whose changes start the campaign. A folder includes all files below it.
   */
  holds: string[];
}

const LAB = (...rooms: string[]) => rooms.map((room) => `src/lab/${room}`);
const CHAPTERS = LAB('chapter.ts', 'chapters');
const JUDGE = ['src/explorer', ...LAB('judge', 'stages')];
const SERVICE = ['src/server.ts', 'src/service/program', 'src/service/config'];
const API = [
  'src/service/http',
  'src/service/jobs',
  'src/service/companies',
  'src/service/recruiters',
  'src/service/live',
];
const DATABASE = ['src/platform/db', 'src/service/database'];
const PRODUCTION = [
  ...DATABASE,
  'src/service/claims',
  'src/service/queue',
  'src/service/outbox',
  'src/platform/waiting',
];

const CHILD = 'src/platform/process/child.ts';

/**
 * All campaigns. `npm run test:changed` compares `holds` with the changed files to choose
 * campaigns.
 */
export const campaigns: readonly Campaign[] = [
  of('client/generated', 2, ['src/client', 'src/service/http', 'src/service/idempotency']),
  of('client/package', 2, ['src/client', 'docs/frontend.md', 'examples/plain', 'examples/react']),
  of('client/tabs', 3, ['src/client']),
  of('deploy/image', 3, [
    'deploy',
    'package-lock.json',
    'scripts/dist.ts',
    ...LAB('mount.ts', 'of-server.ts'),
    ...SERVICE,
  ]),
  of('deploy/restore', 1, [
    'deploy',
    'src/service/operation',
    'src/service/outbox',
    'src/service/webhooks',
  ]),
  of('deploy/upgrade', 3, ['drizzle', ...DATABASE]),
  of('docs.commands', 2, ['scripts', 'src/platform/process']),
  of('docs.judged', 2, ['docs', ...JUDGE]),
  of('explorer/commuting', 14, ['src/explorer', ...CHAPTERS]),
  of('explorer/mirrored', 2, ['src/explorer', ...LAB('explorations')]),
  of('explorer/package', 4, [
    'examples/any-language',
    'src/explorer',
    'examples/explorer',
    'docs/explorer-package.md',
  ]),
  of('explorer/wire/claims', 4, ['src/explorer', ...LAB('programs')]),
  of('hostile', 2, [...API, 'src/service/idempotency', ...SERVICE]),
  of('lab/chapters/production', 5, [
    ...CHAPTERS,
    'src/service/claims',
    'src/service/queue',
    'src/service/idempotency',
  ]),
  of('lab/chapters/production-matrix', 3, [
    'src/service/claims',
    'src/service/queue',
    'src/service/idempotency',
  ]),
  of('lab/classroom/sixty', 12, LAB('classroom', 'pages', 'sql', 'http.ts', 'runs.ts')),
  of('lab/classroom/thirty', 4, LAB('classroom', 'sandbox', 'play', 'http.ts', 'runs.ts')),
  of('lab/coach/first-word', 4, LAB('coach', 'judge')),
  of('lab/coach/hostile', 1, LAB('coach', 'own')),
  of('lab/isolationtester', 2, ['src/explorer']),
  of('lab/judge/retries', 2, [...JUDGE, ...LAB('chapters/retries')]),
  of('lab/judge/waitlist', 2, [...JUDGE, ...LAB('chapters/waitlist')]),
  of('lab/lessons/answers', 3, [...LAB('lessons'), ...JUDGE, ...CHAPTERS]),
  of('lab/lessons/commands', 2, [...LAB('lessons'), 'workshop']),
  of('lab/lessons/exercises', 3, [...LAB('lessons', 'coach'), ...JUDGE, 'workshop']),
  of('lab/own/own', 2, LAB('own', 'listener.ts')),
  of('lab/own/programs', 3, LAB('own', 'programs')),
  of('lab/pages/lessons', 3, [
    'src/pages',
    'workshop',
    ...LAB('pages', 'lessons', 'syllabus', 'problems.ts'),
  ]),
  of('lab/programs/languages', 3, [
    'src/explorer/wire',
    ...LAB('programs'),
    'examples/any-language',
  ]),
  of('lab/programs/libraries', 4, [
    'src/explorer/wire',
    ...LAB('programs'),
    'examples/any-language',
  ]),
  of('lab/race/crashes', 2, [...LAB('race'), ...CHAPTERS]),
  of('lab/sandbox/classics', 1, LAB('sandbox')),
  of('lab/sandbox/endless', 3, [...LAB('sandbox'), 'src/platform/postgres/copies']),
  of('lab/sandbox/stop', 1, [
    ...SERVICE,
    ...LAB('sandbox', 'classroom', 'stages', 'mount.ts', 'http.ts', 'of-server.ts'),
    'src/platform/postgres',
    'src/platform/process',
    'scripts/classroom.ts',
  ]),
  of('lab/site/whole', 16, [
    ...LAB('site', 'play', 'pages'),
    ...CHAPTERS,
    'src/explorer',
    'workshop',
    'scripts/build-site.ts',
  ]),
  of('lab/sql/ideas', 12, [...LAB('sql', 'lessons', 'sandbox'), ...CHAPTERS, 'workshop']),
  of('lab/stores/etcd', 1, LAB('stores', 'chapters/queue')),
  of('platform/db/stock', 5, [
    'drizzle',
    ...DATABASE,
    'src/service/operation',
    'src/service/queue',
    ...SERVICE,
  ]),
  of('platform/db/synchronous', 1, [...DATABASE, 'src/platform/postgres']),
  of('platform/process/arguments', 4, ['src/platform/process', 'scripts', CHILD]),
  of('platform/process/starter', 1, ['src/platform/process', 'src/platform/postgres']),
  of('scripts/bench', 6, ['proof/bench']),
  of('scripts/bench-ends', 1, ['proof/bench', 'proof/service-program.ts', CHILD]),
  of('scripts/faults', 6, ['proof/faults', 'src/service/idempotency', ...PRODUCTION]),
  of('scripts/faults-ends', 2, ['proof/faults', 'proof/service-program.ts', CHILD]),
  of('scripts/faults-failover', 6, ['proof/faults', ...DATABASE, 'deploy/failover']),
  of('scripts/faults-line', 4, ['proof/faults', 'src/service/claims', 'src/service/waitlist']),
  of('scripts/faults-workers', 7, [
    'proof/faults',
    'proof/service-program.ts',
    'src/worker.ts',
    'src/service/queue',
    'src/service/webhooks',
  ]),
  of('scripts/judge', 30, ['docs/explorer.md', ...JUDGE, ...CHAPTERS]),
  of('scripts/mutants', 12, ['proof/mutants', ...JUDGE, ...CHAPTERS]),
  of('scripts/matrix', 14, ['src/explorer', ...LAB('syllabus'), ...CHAPTERS]),
  of('scripts/own-file', 5, LAB('own', 'judge')),
  of('scripts/programs', 6, [
    ...LAB('programs'),
    'docs/any-language.md',
    'examples/any-language',
    CHILD,
  ]),
  of('scripts/race-demo', 2, LAB('race', 'chapters')),
  of('service/claims/pooled-servers', 3, ['src/service/claims', ...DATABASE, ...SERVICE]),
  of('service/waitlist/every-order', 2, [
    'src/service/claims',
    'src/service/waitlist',
    'src/explorer',
    ...DATABASE,
  ]),
  of('service/queue/crash', 1, ['src/service/queue', ...DATABASE]),
  of('service/queue/interleavings', 1, ['src/service/queue']),
  of('worker', 1, ['src/worker.ts', 'src/service/queue/worker', 'src/service/webhooks']),
];

function of(name: string, minutes: number, holds: string[]): Campaign {
  return { file: `test/campaigns/${name}.test.ts`, minutes, holds };
}

/** Returns whether `room` is this file, or a folder that contains the file. */
export const has = (room: string, file: string): boolean =>
  file === room || file.startsWith(`${room}/`);

/**
 * Returns the campaigns that may find a fault in the changed files. Campaigns whose `holds` names a
 * changed file come before campaigns that only import a changed file of `test/support`. In each of
 * the two groups, short campaigns come first.
 */
export function campaignsFor(changed: readonly string[]): Campaign[] {
  const isOfRoom = ({ file, holds }: Campaign) =>
    changed.some((each) => each === file || holds.some((room) => has(room, each)));
  const isOfSupport = ({ file }: Campaign) =>
    supportOf(file).some((each) => changed.includes(each));
  const byTime = campaigns.toSorted((one, other) => one.minutes - other.minutes);
  const ofRoom = byTime.filter(isOfRoom);
  return [...ofRoom, ...byTime.filter((each) => !ofRoom.includes(each) && isOfSupport(each))];
}

/** Returns the files of `test/support` that a campaign imports. */
function supportOf(file: string): string[] {
  const imported = readFileSync(inProject(file), 'utf8').matchAll(
    /from '([./]+\/support\/[^']+)'/g,
  );
  return [...imported].map(([, name = '']) => path.posix.join(path.posix.dirname(file), name));
}
