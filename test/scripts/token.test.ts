import { expect, test } from 'vitest';
import { judgeTokens } from '../../src/service/http/auth/token.ts';
import { collectLog } from '../support/app.ts';
import { run } from '../support/command.ts';
import { SECRET } from '../support/tokens.ts';

const withSecret = { AUTH_JWT_SECRET: SECRET, AUTH_AUDIENCE: 'rowlock' };

async function made(args: string[], env: Record<string, string>) {
  const command = run('scripts/token.ts', args, env);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

test('the token is one line, and the service accepts it', async () => {
  const args = ['--role', 'recruiter', '--sub', '7', '--hours', '8'];
  const { code, stdout, stderr } = await made(args, withSecret);
  expect([code, stderr]).toEqual([0, '']);
  const settings = { kind: 'secret', secret: SECRET, audience: 'rowlock' } as const;
  const caller = await judgeTokens(settings, collectLog().log)(stdout.trim());
  expect(caller).toMatchObject({ role: 'recruiter', id: 7n });
  const hours = ((caller as { until: number }).until - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(7.9);
  expect(hours).toBeLessThanOrEqual(8);
});

test.each<[string, string[], Record<string, string>, RegExp]>([
  ['no secret', ['--role', 'admin', '--sub', 'ada'], {}, /Set AUTH_JWT_SECRET/],
  ['a wrong id', ['--role', 'recruiter', '--sub', 'ada'], withSecret, /--sub must be an id/],
  [
    'production',
    ['--role', 'admin', '--sub', 'ada'],
    { ...withSecret, DATABASE_URL: 'postgres://db.example/rowlock' },
    /Add --production/,
  ],
])('the command makes no token in this case: %s', async (_, args, env, words) => {
  const { code, stdout, stderr } = await made(args, env);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
