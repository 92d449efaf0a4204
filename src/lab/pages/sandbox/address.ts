import type { Experiment } from '../../sandbox/experiment.ts';

/**
 * Returns the fragment of the address, which is the part after `#`. The fragment contains the whole
 * experiment, so each address is a permalink. Browsers send no fragment to a server, so a long text
 * does no harm.
 */
export function fragmentOf({ tables, sessions, check }: Experiment): string {
  const query = new URLSearchParams({ tables, check });
  for (const session of sessions) query.append('session', session);
  return `#${query}`;
}

/**
 * Reads the experiment from the fragment of an address. Returns undefined if there is no
 * experiment.
 */
export function readFragment(fragment: string): Experiment | undefined {
  const query = new URLSearchParams(fragment.replace(/^#/, ''));
  if (!query.has('check')) return undefined;
  const sessions = query.getAll('session').slice(0, MOST_SESSIONS);
  while (sessions.length < LEAST_SESSIONS) sessions.push('');
  return { tables: query.get('tables') ?? '', sessions, check: query.get('check') ?? '' };
}

export const LEAST_SESSIONS = 2;
export const MOST_SESSIONS = 3;
