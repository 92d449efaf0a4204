import { expect, test } from 'vitest';
import { freePort } from '../../../src/postgres/postmaster.ts';
import { runSource } from '../../support/command.ts';

test('the example gives up on a service that is not there', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const command = runSource('examples/claim.ts', [url, '6', '1']);
  expect((await command.ended).code).toBe(1);
  expect(command.stdout()).toMatch(/^It is not known whether the job was claimed/);
  expect(command.stderr()).toBe('');
});
