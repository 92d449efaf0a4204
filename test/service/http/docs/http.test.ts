import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, test } from 'vitest';
import { FILES_AT, files } from '../../../../src/service/http/docs/page.ts';
import { makeApp } from '../../../support/app.ts';

let app: Awaited<ReturnType<typeof makeApp>>['app'];
beforeAll(async () => {
  ({ app } = await makeApp());
});

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const response = await app.request('/openapi.json');
    expect(response.headers.get('content-type')).toBe('application/json');
    const validator = new Validator();
    const document = (await response.json()) as Record<string, unknown>;
    expect(await validator.validate(document)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('has a name and a summary for every operation, and describes every answer', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape.
    const { paths, tags }: any = await (await app.request('/openapi.json')).json();
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const operations = Object.values(paths).flatMap((item: any) => Object.values<any>(item));
    const ids = operations.map((each) => each.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const known = tags.map((tag: { name: string }) => tag.name);
    for (const { operationId, summary, tags, responses } of operations) {
      expect(operationId).toMatch(/^[a-z]\w+$/);
      expect(summary, operationId).toMatch(/^[A-Z]/);
      expect(known, operationId).toContain(tags[0]);
      for (const response of Object.values<object>(responses))
        expect(response, operationId).toMatchObject({
          description: expect.stringMatching(/./),
          headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
        });
    }
  });

  test('does not name the lab', async () => {
    expect(await (await app.request('/openapi.json')).text()).not.toContain('/lab');
  });
});

describe('the documentation page', () => {
  test('has no inline script, and loads files only from this server', async () => {
    const response = await app.request('/docs');
    const html = await response.text();
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<script>|<style|https?:|\son\w+=/);
    const asked = [...html.matchAll(/(?:src|href)="\.([^"]+)"/g)].map((match) => match[1] ?? '');
    // The link back leads to the job board, a page that this app does not have.
    const files = asked.filter((path) => path !== '/');
    expect([asked.length, files.length]).toEqual([6, 5]);
    for (const path of files) expect((await app.request(path)).status, path).toBe(200);
  });

  test.each(files)('gets $name with its type, and may keep the file for ever', async (file) => {
    const response = await app.request(`${FILES_AT}/${file.name}`);
    expect(response.headers.get('content-type')).toBe(file.type);
    expect(response.headers.get('cache-control')).toContain('immutable');
    // `toEqual` would need seconds to compare a megabyte.
    const body = Buffer.from(await response.arrayBuffer());
    expect(body.equals(Buffer.from(await file.read()))).toBe(true);
  });

  test.each(['/docs', '/docs/start.js', '/openapi.json'])(
    'does not get %s again if the browser has the same version',
    async (path) => {
      const first = await app.request(path);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
      expect((await app.request(path, { headers })).status).toBe(304);
    },
  );

  test.each([
    `${FILES_AT}/package.json`,
    `${FILES_AT}/index.html`,
    `${FILES_AT}/%2e%2e/package.json`,
    `${FILES_AT}/..%2fpackage.json`,
    '/docs/page.ts',
    '/docs/1.0.0/swagger-ui.css',
  ])('has no file at %s', async (path) => {
    expect((await app.request(path)).status).toBe(404);
  });
});
