import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../src/claims/settle.ts';
import { nothingRan } from '../../src/db/sqlstate.ts';

const failure = (code: string) => Object.assign(new Error('hunter2'), { code });
const outcomeOf = async (error: unknown) => (await settle(Promise.reject(error))).kind;

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECT_TIMEOUT', '53300', '55P03'])(
  '%s means that nothing was claimed',
  async (code) => {
    expect(await outcomeOf(failure(code))).toBe('busy');
    expect(await outcomeOf(new DrizzleQueryError('insert', [], failure(code)))).toBe('busy');
  },
);

test.each(['ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'CONNECTION_CLOSED', '57P01'])(
  '%s in the middle of a claim leaves the outcome unknown, and before BEGIN nothing was claimed',
  async (code) => {
    expect(await outcomeOf(failure(code))).toBe('unknown');
    expect(await outcomeOf(nothingRan(failure(code)))).toBe('busy');
  },
);

test('an unexpected error is thrown on', async () => {
  await expect(outcomeOf(failure('42703'))).rejects.toThrow('hunter2');
});
