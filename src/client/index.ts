import { hc } from 'hono/client';
import type { App } from '../service/app.ts';

/**
 * A client for the Rowlock server at `url`. Its types know every route, every request and every
 * answer:
 *
 *     const rowlock = createClient('http://localhost:3000');
 *     const answer = await rowlock.jobs[':jobId'].claims.$post({ param, json });
 *     if (answer.status === 201) (await answer.json()).claim;
 *
 * The client is TypeScript source and is not compiled. It works in this workspace, with `tsx`, and
 * with a bundler that compiles its dependencies.
 *
 * `options` are the options of Hono's client. `headers` may hold a token, and `fetch` may replace
 * the global `fetch`.
 */
export const createClient = (url: string, options?: Parameters<typeof hc>[1]) =>
  hc<App>(url, options);
