import { UsageError } from '../../platform/process/errors.ts';
import type { Exploring, Most } from './types.ts';

/** A schedule has a column for each session, and more columns do not fit. */
const MOST_SESSIONS = 3;

const OPTIONS: Record<keyof Exploring, true> = {
  database: true,
  setUp: true,
  sessions: true,
  holds: true,
  mayFail: true,
  crashes: true,
  lostAnswers: true,
  time: true,
  most: true,
  counts: true,
  lanes: true,
  name: true,
  keeps: true,
  onSchedule: true,
  signal: true,
};
const LIMITS: Record<keyof Most, true> = {
  schedules: true,
  seconds: true,
  steps: true,
  secondsPerStep: true,
  connections: true,
};

/** Each lane has its own connections, and its own processes. */
const MOST_LANES = 16;

/** Throws a `UsageError` of one line if the order of a person is wrong. */
export function assertOrder({ database, sessions, most = {}, lanes = 1, ...others }: Exploring) {
  for (const name of Object.keys(others))
    if (!(name in OPTIONS)) throw new UsageError(`There is no option ${name}.`);
  for (const name of Object.keys(most))
    if (!(name in LIMITS)) throw new UsageError(`There is no option most.${name}.`);
  const { length } = Object.keys(sessions);
  if (length < 2 || length > MOST_SESSIONS)
    throw new UsageError(`Two or three sessions can be explored, and not ${length}.`);
  if (!Number.isInteger(lanes) || lanes < 1 || lanes > MOST_LANES)
    throw new UsageError(`\`lanes\` is a whole number from 1 to ${MOST_LANES}.`);
  if (database !== undefined) assertAddress(database);
}

/** Throws a `UsageError` if the text is no address of a PostgreSQL server. */
export function assertAddress(address: string) {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '') return;
  throw new UsageError(
    'The address of the database must be like postgres://user:password@localhost:5432/postgres.',
  );
}
