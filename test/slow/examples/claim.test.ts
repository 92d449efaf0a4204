import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/platform/postgres/postmaster.ts';
import { makeService } from '../../support/app.ts';
import { atEnd, runSource } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

let url: string;
beforeAll(async () => {
  ({ url } = await makeService(await makeDatabase()));
});

async function example(...args: string[]) {
  const command = runSource('examples/claim.ts', args);
  const { code } = await command.ended;
  return { code, said: command.stdout(), error: command.stderr() };
}

test.concurrent('the example claims a job, and renews the lease', async () => {
  const { code, said, error } = await example(url, '1', '1');
  expect(error).toBe('');
  expect(said).toMatch(/^Claimed: \d+, until \S+Z\nRenewed: until \S+Z\n$/);
  expect(code).toBe(0);
});

test.concurrent('the example explains each refusal', async () => {
  for (const recruiterId of [11, 12, 13, 14])
    await fetch(`${url}/claim-job?jobId=2&recruiterId=${recruiterId}`);
  const refused = (said: string) => ({ code: 1, said: `${said}\n`, error: '' });
  const answers = await Promise.all([
    example(url, '2', '1'),
    example(url, '2', '11'),
    example(url, '999999', '1'),
    example(url, '3', '999999'),
  ]);
  expect(answers).toEqual([
    refused('Too late: 4 recruiters have this job.'),
    refused('The job is yours already.'),
    refused('No such job.'),
    refused('No such recruiter.'),
  ]);
});

/**
 * Starts a server in front of the service. `refuse` answers the first claim, and later requests go
 * to the service. `keys` collects the idempotency keys of the claims.
 */
async function makeBusy(refuse: (response: ServerResponse) => unknown) {
  const keys: unknown[] = [];
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/claims')) keys.push(request.headers['idempotency-key']);
    if (keys.length === 1) {
      refuse(response);
      return;
    }
    const body = (await request.toArray()).join('');
    const headers = new Headers(Object.entries(request.headers).map(([k, v]) => [k, `${v}`]));
    headers.delete('connection');
    const answer = await fetch(`${url}${request.url}`, { method: 'POST', headers, body });
    response.writeHead(answer.status).end(await answer.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => server.close());
  return { keys, busyUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test.concurrent.each<[string, string, (response: ServerResponse) => unknown]>([
  ['4', 'is busy', (response) => response.writeHead(503, { 'Retry-After': '0' }).end()],
  ['5', 'breaks the connection', (response) => response.destroy()],
])(
  'the example claims job %s again with the same key if the service %s',
  async (job, _, refuse) => {
    const { keys, busyUrl } = await makeBusy(refuse);
    const { code, said, error } = await example(busyUrl, job, '1');
    expect(error).toBe('');
    expect(said).toContain('Claimed');
    expect(code).toBe(0);
    expect(keys).toEqual([expect.stringMatching(/^[\d-]{20,}$/), keys[0]]);
  },
);

test.concurrent('the example gives up if no service listens at the address', async () => {
  const { code, said, error } = await example(`http://127.0.0.1:${await freePort()}`, '6', '1');
  expect(code).toBe(1);
  expect(said).toMatch(/^It is not known whether the job was claimed/);
  expect(error).toBe('');
});
