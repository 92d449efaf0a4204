import { expect } from 'vitest';

/**
 * Makes callers who ask the service at `url` for a race over HTTP. `statuses` has the statuses of
 * the answers so far.
 */
export function makeRaceCallers(url: string) {
  const statuses: number[] = [];
  const ask = async (signal?: AbortSignal) => {
    const body = JSON.stringify({ strategy: 'row-lock' });
    const response = await fetch(`${url}/lab/races`, {
      method: 'POST',
      body,
      signal: signal ?? null,
    });
    statuses.push(response.status);
    if (response.status !== 201) {
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.json()).toMatchObject({ code: 'busy' });
    }
    return response.headers.get('location');
  };
  const end = (location: string | null) => fetch(url + location, { method: 'DELETE' });
  return { statuses, ask, end };
}
