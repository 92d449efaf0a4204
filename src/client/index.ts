import { hc } from 'hono/client';
import type { App } from '../service/app.ts';

/**
 * A client of the Rowlock at `url`, with every route, its request and its answers as types:
 *
 *     const rowlock = createClient('http://localhost:3000');
 *     const answer = await rowlock.jobs[':jobId'].claims.$post({ param, json });
 *     if (answer.status === 201) (await answer.json()).claim;
 *
 * It is TypeScript and nothing is built of it: for this workspace, `tsx`, or a bundler that compiles
 * its dependencies.
 *
 * `options` are Hono's: `headers` for a token, `fetch` for another way to ask.
 */
export const createClient = (url: string, options?: Parameters<typeof hc>[1]) =>
  hc<App>(url, options);
