import type { Experiment } from '../../../lab/sandbox/experiment.ts';

/**
 * The part of the address after `#`. It has the whole experiment, so each address is a permalink.
 * Browsers send this part to no server, so a long text is no trouble.
 */
export function fragmentOf({ tables, sessions, check }: Experiment): string {
  const query = new URLSearchParams({ tables, check });
  for (const session of sessions) query.append('session', session);
  return `#${query}`;
}

/** The experiment in an address. Undefined if the address has none. */
export function readFragment(fragment: string): Experiment | undefined {
  const query = new URLSearchParams(fragment.replace(/^#/, ''));
  if (!query.has('check')) return undefined;
  const sessions = query.getAll('session').slice(0, MOST_SESSIONS);
  while (sessions.length < LEAST_SESSIONS) sessions.push('');
  return { tables: query.get('tables') ?? '', sessions, check: query.get('check') ?? '' };
}

export const LEAST_SESSIONS = 2;
export const MOST_SESSIONS = 3;
