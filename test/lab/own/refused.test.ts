import { test } from 'vitest';
import { expectRefusal, FILE, NAIVE, type Refused } from '../../support/refusal.ts';

// test/slow/lab/own/refused.test.ts has more reasons. Each case starts a server.
test.concurrent.each<Refused>([
  [
    'the database is not embedded, as in production',
    [FILE],
    { DATABASE_URL: 'postgres://localhost/x' },
    /^--strategy needs workshop mode\. LAB=on .+\n$/,
  ],
  [
    'a proxy may forward requests with tokens',
    [FILE],
    { AUTH_JWT_SECRET: 'x'.repeat(32) },
    /^--strategy runs code on this machine, so it works on loopback only\.\n$/,
  ],
])('npm start refuses --strategy if %s', async (_, [name = '', ...more], env, words) => {
  await expectRefusal(['--strategy', name, ...more], env, words);
});

test.concurrent.each<Refused>([
  [
    'other machines reach the service',
    ['--module', NAIVE],
    { HOST: '0.0.0.0', AUTH: 'off' },
    /^--module runs code on this machine, so it works on loopback only\.\n$/,
  ],
])('npm start refuses a program if %s', (_, args, env, words) => expectRefusal(args, env, words));
