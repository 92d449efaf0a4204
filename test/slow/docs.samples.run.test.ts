import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../src/platform/postgres/postmaster.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeService } from '../support/app.ts';
import { browserTest } from '../support/browser.ts';
import { atEnd, runSource } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { blocksIn } from '../support/pages.ts';

const { url } = await makeService(await makeDatabase());

/** The samples are in a folder inside the project. From there, TypeScript finds `rowlock/…`. */
const folder = (() => {
  mkdirSync(inProject('dist'), { recursive: true });
  return mkdtempSync(inProject('dist/documented-'));
})();
atEnd(() => rmSync(folder, { recursive: true, force: true }));

const samples = blocksIn('ts').map((block, index) => ({
  ...block,
  file: path.join(folder, `sample-${index}.ts`),
}));
beforeAll(() => {
  for (const { file, text } of samples)
    writeFileSync(file, text.replaceAll('http://localhost:3000', url));
});

// docs.samples.test.ts checks the types of each sample.

/** Returns whether a sample receives webhooks. All other programs claim a job. */
const receives = ({ text }: { text: string }) => text.includes("from 'standardwebhooks'");
/** Returns whether a sample is a whole program. Other samples are parts of a page or a module. */
const isProgram = ({ text, tag }: { text: string; tag: string }) =>
  tag === '' && !text.includes('export const') && !text.includes('export function');
const programs = samples.filter((sample) => isProgram(sample) && !receives(sample));
test.each(programs)('the sample at $at claims a job', async ({ file }) => {
  const command = runSource(file, []);
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
  expect(command.stdout()).toMatch(/^\d{4}-\d\d-\d\dT\S+Z\n$/);
});

test.each(samples.filter(receives))(
  'the sample at $at receives webhooks',
  async ({ file, text }) => {
    const service = await makeService(await makeDatabase(), { places: 1 });
    const post = async (path: string, body?: object) => {
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
      const answer = await fetch(`${service.url}${path}`, { ...init, body: JSON.stringify(body) });
      return (await answer.json()) as { id: number; secret: string };
    };
    const port = String(await freePort());
    writeFileSync(file, text.replace('4000', port));
    const made = await post('/companies/1/endpoints', { url: `http://localhost:${port}/webhooks` });
    const receiver = runSource(file, [], { WEBHOOK_SECRET: made.secret });
    const reached = () => fetch(`http://localhost:${port}/`).then(({ status }) => status);
    await expect.poll(() => reached().catch(() => 0), { timeout: 20_000 }).toBe(400);
    const { id } = await post(`/endpoints/${made.id}/test`);
    const untilDelivered = (attemptCount: number) =>
      vi.waitFor(
        async () => {
          const answer = await fetch(`${service.url}/deliveries/${id}`);
          expect(await answer.json()).toMatchObject({ status: 'delivered', attemptCount });
        },
        { timeout: 20_000 },
      );
    await untilDelivered(1);
    // The receiver drops the repeat.
    await post(`/deliveries/${id}/resend`);
    await untilDelivered(2);
    await fetch(`${service.url}/claim-job?jobId=1&recruiterId=1`);
    await receiver.says(/claim\.created/);
    expect(receiver.stdout().match(/endpoint\.test/g)).toHaveLength(1);
  },
);

/** Returns the id of a job of this company. */
async function aJobOf(companyId: number): Promise<number> {
  const answer = await fetch(`${url}/jobs?companyId=${companyId}`);
  const { jobs } = (await answer.json()) as { jobs: { id: number }[] };
  return jobs[0]?.id ?? 0;
}

describe('in a browser', () => {
  for (const { at, text } of blocksIn('js').filter(({ tag }) => tag === ''))
    browserTest(`the sample at ${at} follows the jobs`, async ({ open }) => {
      const id = await aJobOf(1);
      const page = await open(`${url}/`);
      await page.evaluate(`show = (jobs) => { window.shown = jobs; };\n${text}\nfollowJobs();`);
      const claimed = () => page.evaluate(`window.shown?.get(${id})?.claimed`);
      await expect.poll(claimed).toBe(0);
      await fetch(`${url}/claim-job?jobId=${id}&recruiterId=1`);
      await expect.poll(claimed).toBe(1);
    });
});
