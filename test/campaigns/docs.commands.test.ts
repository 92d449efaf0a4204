import { expect, test } from 'vitest';
import { programNames, runScript } from '../support/npm-scripts.ts';

test.concurrent.each(programNames)('npm run %s refuses a wrong option', async (name) => {
  const wrong = runScript(name, ['--bogus']);
  expect(await wrong.ended).toEqual({ code: 2, signal: null });
  expect([wrong.stdout(), wrong.stderr()]).toEqual([
    '',
    `Unknown option '--bogus'. See: npm run ${name} -- --help\n`,
  ]);
});
